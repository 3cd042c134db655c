import { resources } from '../resources.ts';
import type { EndpointSignals } from '../routing/order.ts';

/** Brings what this process knows of the endpoints up to date, while the caller is looked for. Not to be waited for. */
export function refreshSignals(): void {
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
