import { servedCatalog } from '../../catalog/served-catalog.ts';
import { nowMs } from '../../platform/clock.ts';
import { describeError, log } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { liveProviders } from '../../routing/live-providers.ts';
import { measureEndpoints } from '../../statistics/measure.ts';

/** Runs every minute; a run that fails is made up for by the next. */
export async function handler(): Promise<{ measured: number }> {
  const live = await liveProviders(await servedCatalog()).catch((error: unknown) => {
    log('error', 'live providers not known', { worker: 'measure-endpoints', ...describeError(error) });
    return undefined;
  });
  return { measured: await measureEndpoints(resources.table(), nowMs(), live) };
}
