import { alertOwnerName } from '../store/alerts/alert-settings.ts';
import { dueDeliveries, type AlertDelivery } from '../store/alerts/deliveries.ts';
import { attemptDelivery, type DeliveryTools } from './deliver.ts';

/** Numbers of attempts in one run, by result, and errors that ended a part of the run. */
export interface DeliveryRun {
  delivered: number;
  failed: number;
  /** Errors of the table or of the deployment's secret. */
  failures: Error[];
}

/** Maximum time in ms of an account's attempts in one run. Afterwards, its other deliveries wait for the next run. */
const MAX_ACCOUNT_MS = 20_000;

/**
 * Attempts the deliveries that are due: one after another within a partition of the index, and concurrently in all
 * partitions. After a failed attempt, further deliveries to the same destination wait for the next run. If the attempts
 * of an account have taken `MAX_ACCOUNT_MS`, its other deliveries also wait.
 * @param deadlineMs time of performance.now() after which no further attempt is started
 */
export async function deliverDue(tools: DeliveryTools, { deadlineMs }: { deadlineMs: number }): Promise<DeliveryRun> {
  const run: DeliveryRun = { delivered: 0, failed: 0, failures: [] };
  const unreachable = new Set<string>();
  const spentMs = new Map<string, number>();
  const partitions = dueDeliveries(tools.table, tools.nowMs()).map(async (due) => {
    for await (const delivery of due) {
      if (performance.now() >= deadlineMs) return;
      const destination = destinationName(delivery);
      const before = spentMs.get(delivery.accountId) ?? 0;
      if (unreachable.has(destination) || before >= MAX_ACCOUNT_MS) continue;
      const begunMs = performance.now();
      const result = await attemptDelivery(tools, delivery);
      spentMs.set(delivery.accountId, (spentMs.get(delivery.accountId) ?? 0) + performance.now() - begunMs);
      if (result === 'delivered') run.delivered += 1;
      if (result !== 'failed') continue;
      run.failed += 1;
      unreachable.add(destination);
    }
  });
  for (const ended of await Promise.allSettled(partitions)) {
    if (ended.status === 'rejected') run.failures.push(ended.reason as Error);
  }
  return run;
}

function destinationName({ ownerKind: kind, ownerId: id, channel }: AlertDelivery): string {
  return `${alertOwnerName({ kind, id })}#${channel}`;
}
