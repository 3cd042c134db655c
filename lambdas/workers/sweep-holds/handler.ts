import { BacklogWatch, type Backlog } from '../../accounting/backlog.ts';
import { reopenDays } from '../../accounting/close-days.ts';
import { returnDueLeases } from '../../accounting/return-lease.ts';
import { sweepHolds } from '../../accounting/sweep.ts';
import { resources } from '../../resources.ts';
import { nowMs } from '../../platform/clock.ts';
import { log } from '../../platform/logger.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import { adopt } from '../../store/generations/generation-writes.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { encodeVideoMessage } from '../../inference/videos/message.ts';
import { queues } from '../queues.ts';
import { logFailures } from '../failure-log.ts';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Event that starts a sweep. At its start, a local gateway sends the ids of its earlier processes, so that their holds
 * are swept. The schedule sends no ids.
 */
interface SweepEvent {
  deadBootIds?: string[];
}

/**
 * Time before the timeout at which no further work is started. The rest is for work that has started, and for reopening
 * days.
 */
const STOP_SWEEPING_BEFORE_TIMEOUT_MS = 15_000;

/**
 * Observations of the queue's length, kept as long as the process lives. A queue counts as empty only after three runs
 * saw it empty.
 */
const watch = new BacklogWatch();

/**
 * Settles the holds that are due.
 * @throws {AggregateError} with every failure, after everything else is settled
 */
export async function handler({ deadBootIds }: SweepEvent, context: WorkerContext): Promise<{ swept: number }> {
  const deadlineMs = performance.now() + context.getRemainingTimeInMillis() - STOP_SWEEPING_BEFORE_TIMEOUT_MS;
  const failures: Error[] = [];
  const backlog = await checkQueue().catch((error: unknown): Backlog => {
    failures.push(error as Error);
    return 'waiting';
  });
  const due = { nowMs: nowMs(), deadBootIds, deadlineMs };
  // Processes leases and holds concurrently. So many items of one kind do not use up the time of the other kind.
  const [leases, result] = await Promise.all([
    returnDueLeases(resources.table(), due),
    sweepHolds(resources.table(), { ...due, backlog, handBack }),
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
  await resources.queue('advance-videos').send(encodeVideoMessage({ accountId, id }));
}

async function checkQueue(): Promise<Backlog> {
  return watch.look(await queues.gauge('finalize-cost').read(), nowMs());
}
