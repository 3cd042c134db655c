import { closeDays } from '../../accounting/close-days.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Time in ms before the function's timeout from which no further page of accounts is started, so that the current page
 * can be completed.
 */
const STOP_CLOSING_BEFORE_TIMEOUT_MS = 20_000;

/**
 * Closes the days that have ended. Runs every minute. Most runs read only one item; after midnight, runs read more
 * until the day is closed.
 */
export async function handler(_event: unknown, context: WorkerContext): Promise<{ sent: number }> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_CLOSING_BEFORE_TIMEOUT_MS;
  const sent = await closeDays(resources.table(), resources.queue('roll-up-activity'), { deadlineMs });
  if (sent > 0) log('info', 'days closed', { worker: 'close-days', awsRequestId: context.awsRequestId, count: sent });
  return { sent };
}
