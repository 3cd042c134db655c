import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { reopenDays } from '../../accounting/close-days.ts';
import { pruneOnceADay } from '../../accounting/prune.ts';
import type { SettleResult } from '../../accounting/settle-group.ts';
import { settleBatch } from '../../accounting/settle.ts';
import { readSettlement } from '../../accounting/read-settlement.ts';
import type { Settlement } from '../../accounting/settlement.ts';
import { measureSettlements, sentAt, type MeasuredSettlement } from '../../accounting/settlement-metrics.ts';
import { nowMs } from '../../platform/clock.ts';
import { ADDED_ATTRIBUTE } from '../../platform/queue.ts';
import { resources } from '../../resources.ts';
import { countOutcomes } from '../../statistics/count-outcomes.ts';
import { describeError, log } from '../../platform/logger.ts';
import { queues } from '../queues.ts';

/** Time to write what was begun, to ask for late days, and to return what failed. */
const STOP_SETTLING_BEFORE_TIMEOUT_MS = 5_000;

interface SettlementMessage {
  record: SQSRecord;
  settlement: Settlement;
}

/**
 * Settles the generations of a batch in one transaction. One that cannot be settled returns to the queue alone, is
 * delivered again in seconds, and after the last attempt becomes a dead letter, with an alarm: money is never dropped.
 */
export async function handler(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_SETTLING_BEFORE_TIMEOUT_MS;
  const failed = new Set<SQSRecord>();
  const readable: SettlementMessage[] = [];
  for (const record of event.Records) {
    try {
      const added = record.messageAttributes[ADDED_ATTRIBUTE]?.stringValue;
      readable.push({ record, settlement: readSettlement({ body: record.body, added }) });
    } catch (error) {
      log('error', 'unreadable settlement', { worker: 'finalize-cost', ...describeError(error) });
      failed.add(record);
    }
  }
  const settlements = readable.map(({ settlement }) => settlement);
  const results = await settleBatch(resources.table(), settlements, { swept: false, deadlineMs });
  for (const [index, result] of results.entries()) {
    if (!(result instanceof Error)) continue;
    const { record, settlement } = readable[index]!;
    log('error', 'settlement failed', {
      worker: 'finalize-cost',
      generationId: settlement.generationId,
      attempt: Number(record.attributes.ApproximateReceiveCount),
      ...describeError(result),
    });
    failed.add(record);
  }
  // What was settled before was counted then.
  const fresh = settlements.filter((_, index) => results[index] === 'settled' || results[index] === 'corrected');
  measureSettlements(madeOf(readable, results), nowMs());
  await Promise.all([askForLateDays(readable, results, failed), countOutcomes(resources.table(), fresh)]);
  if (failed.size > 0) await queues.returns('finalize-cost').retrySoon([...failed]);
  await pruneOnceADay(resources.table(), settlements);
  return { batchItemFailures: [...failed].map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function madeOf(readable: readonly SettlementMessage[], results: (SettleResult | Error)[]): MeasuredSettlement[] {
  return readable.flatMap(({ record, settlement }, index) => {
    const result = results[index];
    if (result !== 'settled' && result !== 'corrected') return [];
    const sentAtMs = sentAt(record.attributes.SentTimestamp, settlement);
    return [{ settlement, sentAtMs, isCorrection: result === 'corrected' }];
  });
}

/** Messages whose day could not be asked for are delivered again: they settle nothing twice, and ask again. */
async function askForLateDays(
  readable: SettlementMessage[],
  results: (SettleResult | Error)[],
  failed: Set<SQSRecord>,
): Promise<void> {
  const settled = readable.filter((_, index) => !(results[index] instanceof Error));
  try {
    await reopenDays(
      () => resources.queue('roll-up-activity'),
      settled.map(({ settlement }) => settlement),
    );
  } catch (error) {
    log('error', 'closed days not reopened', { worker: 'finalize-cost', ...describeError(error) });
    for (const { record } of settled) failed.add(record);
  }
}
