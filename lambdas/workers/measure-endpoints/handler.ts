import { servedCatalog } from '../../catalog/served-catalog.ts';
import { nowMs } from '../../platform/clock.ts';
import { describeError, log } from '../../platform/logger.ts';
import { rereadProviderKeys } from '../../platform/secrets/secrets.ts';
import { resources } from '../../resources.ts';
import { liveProviders } from '../../routing/live-providers.ts';
import { measureEndpoints } from '../../statistics/measure.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Measures the endpoints. */
export async function handler(_event?: unknown, context?: Partial<WorkerContext>): Promise<{ measured: number }> {
  // Reads the providers' keys again, so that a new key is noticed.
  await rereadProviderKeys();
  const live = await liveProviders(await servedCatalog()).catch((error: unknown) => {
    const about = { worker: 'measure-endpoints', awsRequestId: context?.awsRequestId };
    log('error', 'live providers not read', { ...about, ...describeError(error) });
    return undefined;
  });
  return { measured: await measureEndpoints(resources.table(), nowMs(), live) };
}
