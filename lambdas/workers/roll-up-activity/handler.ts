import { append } from '../../platform/append.ts';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { decodeRollUp, rollUpShard, type RollUp } from '../../accounting/roll-up.ts';
import { describeError, log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { describeUnreadable } from '../failure-log.ts';
import { queues } from '../queues.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Computes the daily rows of the shards that the messages name, only once for several messages about one shard. Only
 * failed messages return to the queue.
 */
export async function handler(
  event: SQSEvent,
  { awsRequestId }: Partial<WorkerContext> = {},
): Promise<SQSBatchResponse> {
  const about = { worker: 'roll-up-activity', awsRequestId };
  const failed: SQSRecord[] = [];
  const shards = new Map<string, { rollUp: RollUp; records: SQSRecord[] }>();
  for (const record of event.Records) {
    try {
      const rollUp = decodeRollUp(record.body);
      const name = `${rollUp.accountId}#${rollUp.date}#${rollUp.shard}`;
      const known = shards.get(name);
      const sinceMs = Math.max(rollUp.sinceMs, known?.rollUp.sinceMs ?? 0);
      shards.set(name, { rollUp: { ...rollUp, sinceMs }, records: [...(known?.records ?? []), record] });
    } catch (error) {
      log('error', 'unreadable roll-up', { ...about, messageId: record.messageId, ...describeUnreadable(error) });
      failed.push(record);
    }
  }
  for (const { rollUp, records } of shards.values()) {
    try {
      await rollUpShard(resources.table(), rollUp);
    } catch (error) {
      log('error', 'roll-up failed', {
        ...about,
        accountId: rollUp.accountId,
        date: rollUp.date,
        ...describeError(error),
      });
      append(failed, records);
    }
  }
  if (failed.length > 0) await queues.returns('roll-up-activity').retrySoon(failed);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
