import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { reopenDays } from '../../accounting/close-days.ts';
import { pruneOnceADay } from '../../accounting/prune.ts';
import type { SettleResult } from '../../accounting/settle-group.ts';
import { isPassingFailure, settleBatch } from '../../accounting/settle.ts';
import { readSettlement } from '../../accounting/read-settlement.ts';
import type { Settlement } from '../../accounting/settlement.ts';
import { measureSettlements, sentAt, type MeasuredSettlement } from '../../accounting/settlement-metrics.ts';
import { nowMs } from '../../platform/clock.ts';
import { ADDED_ATTRIBUTE } from '../../platform/queues/queue.ts';
import { resources } from '../../resources.ts';
import { countOutcomes } from '../../statistics/count-outcomes.ts';
import { describeError, log } from '../../platform/logger.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import { describeUnreadable } from '../failure-log.ts';
import { checkRequests } from '../check-requests.ts';
import { queues } from '../queues.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no further settlement is started. */
const STOP_SETTLING_BEFORE_TIMEOUT_MS = 5_000;

interface SettlementMessage {
  record: SQSRecord;
  settlement: Settlement;
}

/**
 * Settles generations. Only failed messages return to the queue. After the last attempt, a message moves to the
 * dead-letter queue, which raises an alarm.
 */
export async function handler(event: SQSEvent, context: WorkerContext): Promise<SQSBatchResponse> {
  const about = { worker: 'finalize-cost', awsRequestId: context.awsRequestId };
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_SETTLING_BEFORE_TIMEOUT_MS;
  const failed = new Map<SQSRecord, unknown>();
  const readable: SettlementMessage[] = [];
  for (const record of event.Records) {
    try {
      const added = record.messageAttributes[ADDED_ATTRIBUTE]?.stringValue;
      readable.push({ record, settlement: readSettlement({ body: record.body, added }) });
    } catch (error) {
      log('error', 'unreadable settlement', { ...about, messageId: record.messageId, ...describeUnreadable(error) });
      failed.set(record, error);
    }
  }
  const settlements = readable.map(({ settlement }) => settlement);
  const results = await settleBatch(resources.table(), settlements, { swept: false, deadlineMs });
  for (const [index, result] of results.entries()) {
    if (!(result instanceof Error)) continue;
    const { record, settlement } = readable[index]!;
    log('error', 'settlement failed', {
      ...about,
      generationId: settlement.generationId,
      attempt: Number(record.attributes.ApproximateReceiveCount),
      ...describeError(result),
    });
    failed.set(record, result);
  }
  // Counts only outcomes that this run has settled.
  const fresh = settlements.filter((_, index) => results[index] === 'settled' || results[index] === 'corrected');
  measureSettlements(madeOf(readable, results), nowMs());
  const followUp = async (message: string, work: (settled: Settlement[]) => Promise<void>) => {
    const settled = readable.filter((_, index) => !(results[index] instanceof Error));
    await work(settled.map(({ settlement }) => settlement)).catch((error: unknown) => {
      log('error', message, { ...about, ...describeError(error) });
      for (const { record } of settled) failed.set(record, error);
    });
  };
  // If a follow-up fails, the messages are delivered again. The next run settles nothing twice, but repeats the
  // follow-up.
  await Promise.all([
    followUp('closed days not reopened', (settled) => reopenDays(() => resources.queue('roll-up-activity'), settled)),
    followUp('alerts not checked', (settled) => checkRequests().request(settled)),
    countOutcomes(resources.table(), fresh),
  ]);
  measureFailures(failed);
  if (failed.size > 0) await queues.returns('finalize-cost').retrySoon([...failed.keys()]);
  await pruneOnceADay(resources.table(), settlements);
  return { batchItemFailures: [...failed.keys()].map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function madeOf(readable: readonly SettlementMessage[], results: (SettleResult | Error)[]): MeasuredSettlement[] {
  return readable.flatMap(({ record, settlement }, index) => {
    const result = results[index];
    if (result !== 'settled' && result !== 'corrected') return [];
    const sentAtMs = sentAt(record.attributes.SentTimestamp, settlement);
    return [{ settlement, sentAtMs, isCorrection: result === 'corrected' }];
  });
}

/**
 * Writes a metric for an alarm, because Lambda counts no error for a run that returns messages to the queue. Counts a
 * message only at its first delivery, because a message that can never be settled may be delivered many times.
 */
function measureFailures(failed: ReadonlyMap<SQSRecord, unknown>): void {
  const fresh = [...failed].filter(([{ attributes }]) => Number(attributes.ApproximateReceiveCount) === 1);
  const count = fresh.filter(([, error]) => !isPassingFailure(error)).length;
  if (count > 0) writeMetrics({ SettlementFailed: count });
}
