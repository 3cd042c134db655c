import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointStatistics } from '../../catalog/endpoint-statistics.ts';
import { resources } from '../../resources.ts';
import { readiness, type IsReady } from '../../routing/live-providers.ts';
import { REPORT_PATIENCE_MS } from '../parts/availability.ts';

/** State of the endpoints. The functions return undefined for an unknown value. */
export interface EndpointReport {
  isFailing: (endpointId: string) => boolean | undefined;
  statisticsOf: (endpointId: string) => EndpointStatistics | undefined;
  isReady: IsReady;
}

/**
 * Returns the state of the endpoints. Waits at most 700 ms for new values, then uses recent values that this process
 * has read.
 */
export async function readEndpointReport(): Promise<EndpointReport> {
  const [health, statistics] = [resources.health(), resources.statistics()];
  await Promise.race([
    Promise.all([health.refresh(), statistics.refresh()]),
    sleep(REPORT_PATIENCE_MS, undefined, { ref: false }),
  ]);
  return {
    isFailing: (endpointId) => (health.isShared ? health.isFailing(endpointId) : undefined),
    statisticsOf: (endpointId) => statistics.statisticsOf(endpointId),
    isReady: readiness((providerId) => statistics.isLive(providerId)),
  };
}
