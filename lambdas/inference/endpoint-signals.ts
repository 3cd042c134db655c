import { servedCatalog } from '../catalog/served-catalog.ts';
import { resources } from '../resources.ts';
import type { EndpointSignals } from '../routing/order.ts';

/** Brings the catalog and what this process knows of the endpoints up to date, while the caller is looked for. Not to be waited for. */
export function refreshSignals(): void {
  // Where it fails, the request that asks for it is told.
  servedCatalog().catch(() => undefined);
  void resources.health().refresh();
  void resources.statistics().refresh();
}

/** How the endpoints are doing, as far as this process knows. */
export function endpointSignals(): EndpointSignals {
  const [health, statistics] = [resources.health(), resources.statistics()];
  return {
    isFailing: (endpointId) => health.isFailing(endpointId),
    speedOf: (endpointId) => statistics.statisticsOf(endpointId),
  };
}
