import { servedCatalog } from '../catalog/served-catalog.ts';
import { resources } from '../resources.ts';
import type { EndpointSignals } from '../routing/order.ts';

/**
 * Starts to refresh the catalog, and the health and statistics of endpoints, and does not wait for the result. The
 * lookup of the caller runs at the same time.
 */
export function refreshSignals(): void {
  // Ignores an error here: the request that needs the catalog gets the same error later.
  servedCatalog().catch(() => undefined);
  void resources.health().refresh();
  void resources.statistics().refresh();
}

/** Returns the health and speed of endpoints from the data in this process. */
export function endpointSignals(): EndpointSignals {
  const [health, statistics] = [resources.health(), resources.statistics()];
  return {
    isFailing: (endpointId) => health.isFailing(endpointId),
    speedOf: (endpointId) => statistics.statisticsOf(endpointId),
  };
}
