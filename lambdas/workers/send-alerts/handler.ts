import { checkDaily } from '../../alerts/daily-checks.ts';
import { checkProviders } from '../../alerts/check-providers.ts';
import { deliverDue } from '../../alerts/deliver-due.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { log } from '../../platform/logger.ts';
import { deliveryTools } from '../delivery-tools.ts';
import { logFailures } from '../failure-log.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Time in ms before the function's timeout from which no attempt is started. */
const STOP_ATTEMPTS_BEFORE_TIMEOUT_MS = 15_000;

/**
 * Delivers the notices that are due, then checks the providers, and once a day keys and models.
 * @throws {AggregateError} with all failures, after everything else is done
 */
export async function handler(_event: unknown, context: WorkerContext): Promise<{ delivered: number }> {
  const about = { worker: 'send-alerts', awsRequestId: context.awsRequestId };
  const beginMs = performance.now();
  const deadlineMs = beginMs + context.getRemainingTimeInMillis() - STOP_ATTEMPTS_BEFORE_TIMEOUT_MS;
  // Deliveries may take only half of the time, so that the checks get the other half.
  const { delivered, failures } = await deliverDue(deliveryTools(), { deadlineMs: (beginMs + deadlineMs) / 2 });
  const { table, nowMs } = deliveryTools();
  const checks = { catalog: await servedCatalog(), nowMs: nowMs(), deadlineMs };
  for (const ended of await Promise.allSettled([checkProviders(table, checks), checkDaily(table, checks)])) {
    if (ended.status === 'rejected') failures.push(ended.reason as Error);
  }
  if (delivered > 0) log('info', 'alerts sent', { ...about, count: delivered });
  logFailures('alerts not sent or checked', failures, about);
  if (failures.length > 0) throw new AggregateError(failures, `The run had ${failures.length} failures`);
  return { delivered };
}
