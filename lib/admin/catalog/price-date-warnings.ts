import {
  priceMomentsOf,
  pricePeriodOf,
  pricesInTime,
  type PricesInPeriod,
} from '../../../lambdas/catalog/price-periods.ts';
import type { ModelData } from '../../../lambdas/catalog/schema.ts';

const SOON_DAYS = 30;
const MS_PER_DAY = 86_400_000;

/**
 * Returns one sentence for each price that ends without a successor, or changes soon.
 * @param todayMs start of the current UTC day in epoch milliseconds
 */
export function dateWarnings(models: readonly ModelData[], todayMs: number): string[] {
  return models.flatMap(({ id, endpoints, video, service_free: isFree }) => [
    ...endpoints.flatMap((endpoint) =>
      (['pricing', 'service_cost'] as const).flatMap((field) => {
        const times = pricesInTime(endpoint[field], undefined).filter(({ untilMs }) => untilMs > todayMs);
        const place = `${endpoint.id}: ${field}`;
        const effect = field === 'pricing' || isFree ? 'the endpoint gets no requests' : 'the provider cost is unknown';
        return [...endings(times, place, effect), ...changes(times, place, todayMs)];
      }),
    ),
    ...soon(priceMomentsOf((video?.periods ?? []).map(pricePeriodOf)), `${id}: price_per_second`, todayMs),
  ]);
}

function endings(times: readonly PricesInPeriod[], place: string, effect: string): string[] {
  return times.flatMap(({ pricing, untilMs }, index) => {
    const next = times[index + 1];
    if (!pricing || !next || next.pricing) return [];
    const end = Number.isFinite(next.untilMs) ? ` until ${dateOf(next.untilMs)}` : '';
    return [`${place} ends on ${dateOf(untilMs)} without a successor, so ${effect}${end}.`];
  });
}

function changes(times: readonly PricesInPeriod[], place: string, todayMs: number): string[] {
  const moments = times.flatMap(({ fromMs, pricing }) => (pricing ? fromMs : []));
  return soon(moments, place, todayMs);
}

function soon(moments: readonly number[], place: string, todayMs: number): string[] {
  return moments
    .filter((moment) => moment >= todayMs && moment < todayMs + SOON_DAYS * MS_PER_DAY)
    .map((moment) => `${place} changes on ${dateOf(moment)}.`);
}

function dateOf(moment: number): string {
  return new Date(moment).toISOString();
}
