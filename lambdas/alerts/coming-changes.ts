import type { Endpoint, Model } from '../catalog/catalog.ts';

/**
 * Returns the time in epoch ms from which no endpoint of a model has prices, so that the model gets no more requests.
 * Returns undefined if the time is unknown or has passed.
 */
export function retirementOf({ endpoints }: Model, nowMs: number): number | undefined {
  const atMs = Math.max(0, ...endpoints.map(lastPricedMs));
  return Number.isFinite(atMs) && atMs > nowMs ? atMs : undefined;
}

function lastPricedMs({ pricing, periods }: Endpoint): number {
  if (!periods) return pricing ? Infinity : 0;
  return Math.max(0, ...periods.filter((period) => period.pricing).map(({ untilMs }) => untilMs));
}

/** Returns the time in epoch ms of the next change of a model's prices, at any endpoint; undefined if none is known. */
export function nextPriceChange({ endpoints }: Model, nowMs: number): number | undefined {
  const moments = endpoints.flatMap(({ periods = [] }) =>
    periods.flatMap((period, index) => {
      const next = periods[index + 1];
      if (!period.pricing || !next?.pricing || next.fromMs <= nowMs) return [];
      return JSON.stringify(period.pricing) === JSON.stringify(next.pricing) ? [] : [next.fromMs];
    }),
  );
  return moments.length === 0 ? undefined : Math.min(...moments);
}
