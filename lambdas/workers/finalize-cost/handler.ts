import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reopenDays } from '../../accounting/close-days.ts';
import { pruneOnceADay } from '../../accounting/prune.ts';
import { settleBatch } from '../../accounting/settle.ts';
import type { SettleResult } from '../../accounting/settle-group.ts';
import { decodeSettlement, type Settlement } from '../../accounting/settlement.ts';
import { resources } from '../../resources.ts';
import { describeError, log } from '../../platform/logger.ts';

/**
 * Settles the generations of a batch in one transaction. What cannot be settled goes back to the queue by itself, and
 * after the last attempt to the dead-letter queue, where an alarm waits: money is never dropped.
 */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  const readable: { messageId: string; settlement: Settlement }[] = [];
  for (const { messageId, body } of event.Records) {
    try {
      readable.push({ messageId, settlement: decodeSettlement(body) });
    } catch (error) {
      log('error', 'unreadable settlement', { worker: 'finalize-cost', ...describeError(error) });
      failed.push(messageId);
    }
  }
  const settlements = readable.map(({ settlement }) => settlement);
  const results = await settleBatch(resources.table(), settlements, { swept: false });
  for (const [index, result] of results.entries()) {
    if (!(result instanceof Error)) continue;
    const { messageId, settlement } = readable[index]!;
    log('error', 'settlement failed', {
      worker: 'finalize-cost',
      generationId: settlement.generationId,
      ...describeError(result),
    });
    failed.push(messageId);
  }
  await askForLateDays(readable, results, failed);
  await pruneOnceADay(resources.table(), settlements);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Messages whose day could not be asked for come again: the settlement is a duplicate then, the question is not lost. */
async function askForLateDays(
  readable: { messageId: string; settlement: Settlement }[],
  results: (SettleResult | Error)[],
  failed: string[],
): Promise<void> {
  const settled = readable.filter((_, index) => !(results[index] instanceof Error));
  try {
    await reopenDays(
      () => resources.rollUpQueue(),
      settled.map(({ settlement }) => settlement),
    );
  } catch (error) {
    log('error', 'closed days not reopened', { worker: 'finalize-cost', ...describeError(error) });
    failed.push(...settled.map(({ messageId }) => messageId));
  }
}
