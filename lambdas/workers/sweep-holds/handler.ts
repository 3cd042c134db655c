import { BacklogWatch, type Backlog } from '../../accounting/backlog.ts';
import { reopenDays } from '../../accounting/close-days.ts';
import { returnDueLeases } from '../../accounting/return-lease.ts';
import type { Settlement } from '../../accounting/settlement.ts';
import { sweepHolds } from '../../accounting/sweep.ts';
import { resources } from '../../resources.ts';
import { nowMs } from '../../platform/clock.ts';
import { log } from '../../platform/logger.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import { adopt } from '../../store/generations/generation-writes.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { encodeJobMessage } from '../../inference/jobs/message.ts';
import { checkRequests } from '../check-requests.ts';
import { queues } from '../queues.ts';
import { logFailures } from '../failure-log.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Event that starts a sweep. A starting local gateway sends the ids of its earlier processes, whose holds are due at
 * once.
 */
interface SweepEvent {
  deadBootIds?: string[];
}

/** Time in ms before the function's timeout from which the sweep settles no further hold or lease. */
const STOP_SWEEPING_BEFORE_TIMEOUT_MS = 15_000;

const checkTimes = { delaySeconds: 120, committedWithinSeconds: 90 };

const watch = new BacklogWatch();

/**
 * Settles the holds that are due, and returns due leases.
 * @throws {AggregateError} with all failures, after everything else is settled
 */
export async function handler({ deadBootIds }: SweepEvent, context: WorkerContext): Promise<{ swept: number }> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_SWEEPING_BEFORE_TIMEOUT_MS;
  const failures: Error[] = [];
  const backlog = await checkQueue().catch((error: unknown): Backlog => {
    failures.push(error as Error);
    return 'waiting';
  });
  const due = { nowMs: nowMs(), deadBootIds, deadlineMs };
  // Handles leases and holds concurrently, so that many items of one kind do not use up the time for the other kind.
  const [leases, result] = await Promise.all([
    returnDueLeases(resources.table(), due),
    sweepHolds(resources.table(), { ...due, backlog, handBack, beforeSettling }),
  ]);
  failures.push(...leases.failures, ...result.failures);
  await reopenDays(() => resources.queue('roll-up-activity'), result.settled).catch((error: unknown) =>
    failures.push(error as Error),
  );
  if (result.swept > 0)
    log('warn', 'holds swept', { worker: 'sweep-holds', awsRequestId: context.awsRequestId, count: result.swept });
  if (leases.returned > 0)
    log('warn', 'leases returned', {
      worker: 'sweep-holds',
      awsRequestId: context.awsRequestId,
      count: leases.returned,
    });
  // Writes the metric even if it is zero, to show that a sweep ran.
  writeMetrics({ Swept: result.swept });
  logFailures('sweep failed', failures, { worker: 'sweep-holds', awsRequestId: context.awsRequestId });
  if (failures.length > 0) throw new AggregateError(failures, `The sweep had ${failures.length} failures`);
  return { swept: result.swept };
}

async function handBack({ payer: { accountId }, id }: Generation): Promise<void> {
  await adopt(resources.table(), { accountId, id }, resources.bootId());
  await resources.queue('advance-videos').send(encodeJobMessage({ accountId, id }));
}

/**
 * Requests the check of alerts before the settlement, so that no check is lost if the run is stopped in between. It is
 * due after this run's timeout of 90 seconds.
 */
async function beforeSettling(settlement: Settlement): Promise<void> {
  await checkRequests().request([settlement], checkTimes);
}

async function checkQueue(): Promise<Backlog> {
  return watch.look(await queues.gauge('finalize-cost').read(), nowMs());
}
