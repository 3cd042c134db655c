import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointStatistics } from '../../catalog/endpoint-statistics.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';
import { isReadyByMeasurement, readiness, type IsReady } from '../../routing/live-providers.ts';

/** How endpoints are doing; undefined where nothing is known. */
export interface EndpointReport {
  isFailing: (endpointId: string) => boolean | undefined;
  statisticsOf: (endpointId: string) => EndpointStatistics | undefined;
  isReady: IsReady;
}

/** How long an answer waits for what is only known of the moment. */
const REPORT_PATIENCE_MS = 700;

/** How the endpoints are doing, or what is left of it when the table does not answer in time. */
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

/**
 * Which endpoints of these models can be called. Reads the last measurement, at most once in 30 seconds, if that decides for one of them:
 * a key of a provider may have been set or taken away.
 */
export async function readReadiness(models: readonly Model[]): Promise<IsReady> {
  const statistics = resources.statistics();
  const isMeasured = models.some(({ endpoints }) => endpoints.some(isReadyByMeasurement));
  if (isMeasured) await Promise.race([statistics.refresh(), sleep(REPORT_PATIENCE_MS, undefined, { ref: false })]);
  return readiness((providerId) => statistics.isLive(providerId));
}
