import { servedCatalog } from '../catalog/served-catalog.ts';
import { resources } from '../resources.ts';
import type { EndpointSignals } from '../routing/order.ts';

/**
 * Refreshes the catalog and the health and statistics of endpoints, concurrently with the lookup of the caller. Do not
 * wait for it.
 */
export function refreshSignals(): void {
  // If this fails, the request that needs the catalog gets the error.
  servedCatalog().catch(() => undefined);
  void resources.health().refresh();
  void resources.statistics().refresh();
}

/** Health and speed of the endpoints, as far as this process knows them. */
export function endpointSignals(): EndpointSignals {
  const [health, statistics] = [resources.health(), resources.statistics()];
  return {
    isFailing: (endpointId) => health.isFailing(endpointId),
    speedOf: (endpointId) => statistics.statisticsOf(endpointId),
  };
}
