import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import { measureEndpoints } from '../../statistics/measure.ts';

/** Runs every minute; a run that fails is made up for by the next. */
export async function handler(): Promise<{ measured: number }> {
  return { measured: await measureEndpoints(resources.table(), nowMs()) };
}
