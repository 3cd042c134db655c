import { closeDays } from '../../accounting/close-days.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no further page of accounts is started. */
const STOP_CLOSING_BEFORE_TIMEOUT_MS = 20_000;

/** Queues the days that have ended for the roll-up. */
export async function handler(_event: unknown, context: WorkerContext): Promise<{ sent: number }> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_CLOSING_BEFORE_TIMEOUT_MS;
  const sent = await closeDays(resources.table(), resources.queue('roll-up-activity'), { deadlineMs });
  if (sent > 0) log('info', 'days closed', { worker: 'close-days', awsRequestId: context.awsRequestId, count: sent });
  return { sent };
}
