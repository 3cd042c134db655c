import { setTimeout as sleep } from 'node:timers/promises';
import type { EndpointStatistics } from '../../catalog/endpoint-statistics.ts';
import type { Model } from '../../catalog/catalog.ts';
import { resources } from '../../resources.ts';
import { isReadyByMeasurement, readiness, type IsReady } from '../../routing/live-providers.ts';

/** Health and performance of endpoints. Each of these functions returns undefined if the value is unknown. */
export interface EndpointReport {
  isFailing: (endpointId: string) => boolean | undefined;
  statisticsOf: (endpointId: string) => EndpointStatistics | undefined;
  isReady: IsReady;
}

/** Maximum time in ms that a response waits for current health and performance. */
const REPORT_PATIENCE_MS = 700;

/**
 * Returns the health and performance of endpoints. If the table does not respond in time, the last known values are
 * used.
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

/**
 * Returns a function that returns whether an endpoint of these models can be called; undefined if that is unknown. If
 * this depends on a credential that the Lambda function has no permission to read, the result comes from the worker's
 * last measurement. That measurement is read again at most every 30 seconds, because the operator may set or remove the
 * credential.
 */
export async function readReadiness(models: readonly Model[]): Promise<IsReady> {
  const statistics = resources.statistics();
  const isMeasured = models.some(({ endpoints }) => endpoints.some(isReadyByMeasurement));
  if (isMeasured) await Promise.race([statistics.refresh(), sleep(REPORT_PATIENCE_MS, undefined, { ref: false })]);
  return readiness((providerId) => statistics.isLive(providerId));
}
