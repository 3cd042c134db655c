import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decodeRollUp, rollUpShard, type RollUp } from '../../accounting/roll-up.ts';
import { describeError, log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';

/** Rolls up the shards of a batch, each once; what fails goes back to the queue by itself. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  const shards = new Map<string, { rollUp: RollUp; messageIds: string[] }>();
  for (const { messageId, body } of event.Records) {
    try {
      const rollUp = decodeRollUp(body);
      const name = `${rollUp.accountId}#${rollUp.date}#${rollUp.shard}`;
      const known = shards.get(name);
      const sinceMs = Math.max(rollUp.sinceMs, known?.rollUp.sinceMs ?? 0);
      shards.set(name, { rollUp: { ...rollUp, sinceMs }, messageIds: [...(known?.messageIds ?? []), messageId] });
    } catch (error) {
      log('error', 'unreadable roll-up', { worker: 'roll-up-activity', ...describeError(error) });
      failed.push(messageId);
    }
  }
  for (const { rollUp, messageIds } of shards.values()) {
    try {
      await rollUpShard(resources.table(), rollUp);
    } catch (error) {
      log('error', 'roll-up failed', {
        worker: 'roll-up-activity',
        accountId: rollUp.accountId,
        date: rollUp.date,
        ...describeError(error),
      });
      failed.push(...messageIds);
    }
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}
