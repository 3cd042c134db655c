import { servedCatalog } from '../catalog/served-catalog.ts';
import { resources } from '../resources.ts';
import type { EndpointSignals } from '../routing/order.ts';

/** Starts to refresh the catalog, and the health and statistics of endpoints. */
export function refreshSignals(): void {
  // Ignores an error here, because a request that needs the catalog loads it again and reports the error.
  servedCatalog().catch(() => undefined);
  void resources.health().refresh();
  void resources.statistics().refresh();
}

/** Returns the health and speed of endpoints as far as this process knows them. */
export function endpointSignals(): EndpointSignals {
  const [health, statistics] = [resources.health(), resources.statistics()];
  return {
    isFailing: (endpointId) => health.isFailing(endpointId),
    speedOf: (endpointId) => statistics.statisticsOf(endpointId),
  };
}
