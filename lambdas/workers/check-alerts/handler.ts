import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { decodeAlertCheck } from '../../store/alerts/alert-check.ts';
import { checkPayer } from '../../alerts/check-payer.ts';
import { attemptDelivery } from '../../alerts/deliver.ts';
import { log } from '../../platform/logger.ts';
import type { AlertDelivery } from '../../store/alerts/deliveries.ts';
import { deliveryTools } from '../delivery-tools.ts';
import { describeUnreadable } from '../failure-log.ts';
import { queues } from '../queues.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no attempt is started. */
const STOP_SENDING_BEFORE_TIMEOUT_MS = 15_000;

/** Checks payers, and tries to deliver new notices while time remains. Only failed checks return to the queue. */
export async function handler(event: SQSEvent, context: WorkerContext): Promise<SQSBatchResponse> {
  const about = { worker: 'check-alerts', awsRequestId: context.awsRequestId };
  const { table, nowMs } = deliveryTools();
  const failed: SQSRecord[] = [];
  const due: AlertDelivery[] = [];
  // Equal messages need only one check.
  for (const records of Map.groupBy(event.Records, ({ body }) => body).values()) {
    try {
      due.push(...(await checkPayer(table, decodeAlertCheck(records[0]!.body), nowMs())));
    } catch (error) {
      log('error', 'alerts not checked', { ...about, messageId: records[0]!.messageId, ...describeUnreadable(error) });
      failed.push(...records);
    }
  }
  await Promise.all(
    due.map(async (delivery) => {
      if (context.getRemainingTimeInMillis() < STOP_SENDING_BEFORE_TIMEOUT_MS) return;
      await attemptDelivery(deliveryTools(), delivery).catch((error: unknown) =>
        log('warn', 'alert not sent at once', { ...about, deliveryId: delivery.id, ...describeUnreadable(error) }),
      );
    }),
  );
  if (failed.length > 0) await queues.returns('check-alerts').retrySoon(failed);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
