import { reconcileDays } from '../../books/reconcile-days.ts';
import { log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no further account is started. */
const STOP_COMPARING_BEFORE_TIMEOUT_MS = 60_000;

/** Reconciles the books of completed days. */
export async function handler(_event: unknown, context: WorkerContext): Promise<{ compared: number }> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_COMPARING_BEFORE_TIMEOUT_MS;
  const compared = await reconcileDays(resources.table(), { deadlineMs });
  if (compared > 0)
    log('info', 'books compared', { worker: 'reconcile-days', awsRequestId: context.awsRequestId, count: compared });
  return { compared };
}
