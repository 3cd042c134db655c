import { reopenDays } from '../../accounting/close-days.ts';
import { sweepHolds } from '../../accounting/sweep.ts';
import { resources } from '../../resources.ts';
import { nowMs } from '../../platform/clock.ts';
import { log } from '../../platform/logger.ts';

/** A local gateway that starts asks for the holds of its dead predecessors as well; the schedule does not. */
interface SweepEvent {
  aliveBootId?: string;
}

export async function handler(event: SweepEvent): Promise<{ swept: number }> {
  const settled = await sweepHolds(resources.table(), { nowMs: nowMs(), aliveBootId: event.aliveBootId });
  await reopenDays(() => resources.rollUpQueue(), settled);
  const swept = settled.length;
  if (swept > 0) log('warn', 'holds swept', { worker: 'sweep-holds', count: swept });
  return { swept };
}
