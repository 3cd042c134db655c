import type { Money } from '../money/money.ts';
import { covers, priceMomentsOf, pricePeriodOf } from './price-periods.ts';
import type { ModelData } from './schema.ts';

type VideoOptions = NonNullable<ModelData['video']>;
type VideoPrices = Readonly<Record<string, Money>>;

/** Returns the durations that a resolution supports. They may be only some of the durations that the model lists. */
export function durationsAt({ durations, durations_at }: VideoOptions, resolution: string): number[] {
  return durations_at?.[resolution] ?? durations;
}

/** Returns the prices of a second of video that are in force at a time, by resolution. */
export function videoPricesAt({ price_per_second: usual, periods = [] }: VideoOptions, atMs: number): VideoPrices {
  return periods.find((period) => covers(pricePeriodOf(period), atMs))?.price_per_second ?? usual;
}

/** Returns the moments at which the prices change. */
export function videoPriceChanges({ periods = [] }: VideoOptions): number[] {
  return priceMomentsOf(periods.map(pricePeriodOf));
}
