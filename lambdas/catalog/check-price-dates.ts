import { CatalogError } from './catalog-error.ts';
import { pricePeriodOf, type PricePeriod } from './price-periods.ts';
import type { ModelData, PricingData } from './schema.ts';

interface DatedField {
  data: { valid_from?: string | undefined; valid_until?: string | undefined };
  place: string;
}

/**
 * Checks the periods of a model's prices, for example that no two overlap.
 * @throws {CatalogError} naming the first invalid field
 */
export function checkPriceDates({ video, endpoints }: ModelData, place: string): void {
  checkPeriods(video?.periods ?? [], `${place}.video.periods`);
  for (const [index, endpoint] of endpoints.entries()) {
    for (const field of ['pricing', 'service_cost'] as const) {
      const data = endpoint[field];
      if (data) checkPricingDates(data, `${place}.endpoints[${index}].${field}`);
    }
    if (endpoint.pricing?.periods && endpoint.image?.prices) {
      throw new CatalogError(
        `${place}.endpoints[${index}].image.prices: have no dates; leave out the periods of pricing, or these prices`,
      );
    }
  }
}

function checkPricingDates(data: PricingData, place: string): void {
  const { overrides, periods = [] } = data;
  checkPeriodOrder({ data, place });
  checkPeriods(periods, `${place}.periods`);
  const flat = periods.findIndex((period) => overrides && !period.overrides);
  if (flat !== -1) {
    throw new CatalogError(
      `${place}.periods[${flat}].overrides: is required, because the prices outside the period have overrides`,
    );
  }
}

function checkPeriods(periods: readonly DatedField['data'][], place: string): void {
  const dated = periods.map((data, index) => ({ data, place: `${place}[${index}]` }));
  const ordered = dated.map(checkPeriodOrder).toSorted((a, b) => a.fromMs - b.fromMs);
  const overlap = ordered.find(({ fromMs }, index) => index > 0 && fromMs < ordered[index - 1]!.untilMs);
  if (overlap) throw new CatalogError(`${overlap.place}: applies at the same time as another period`);
}

function checkPeriodOrder({ data, place }: DatedField): PricePeriod & { place: string } {
  const period = pricePeriodOf(data);
  const isAlways = place.endsWith(']') && data.valid_from === undefined && data.valid_until === undefined;
  if (isAlways) throw new CatalogError(`${place}: needs valid_from or valid_until`);
  if (period.fromMs >= period.untilMs) {
    throw new CatalogError(`${place}.valid_until: ${data.valid_until} must be after valid_from (${data.valid_from})`);
  }
  return { ...period, place };
}
