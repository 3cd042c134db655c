import type { Endpoint } from '../catalog/catalog.ts';
import { generationUnits, priceNameOf } from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import type { Charged } from './charge.ts';
import { priceUsage } from './price.ts';
import { isUsed, type TokenUsage } from './usage.ts';

/**
 * The cost of an answer to the service, at the purchase prices of its endpoint: each request to the provider with its own tier and fee, and the
 * searches, where these have a price. An answer that is not charged has no usage, and is taken to cost nothing.
 *
 * Weakness: usage that was cut to what the request could come to is bought whole; attempts that failed may be charged by their provider.
 * @returns undefined where the endpoint has no purchase prices
 */
export function serviceCostOf(
  { serviceCost }: Pick<Endpoint, 'serviceCost'>,
  { usage, rounds = [usage] }: Pick<Charged, 'usage' | 'rounds'>,
): Money | undefined {
  if (!serviceCost) return undefined;
  const used = rounds.filter(isUsed);
  if (used.length === 0) return Money.zero;
  const ofRounds = used.map((round) => priceUsage({ ...round, ...ofNoGeneration }, serviceCost).total);
  const once = generationUnits.map(
    (unit) => serviceCost[priceNameOf(unit)]?.times(usage[unit.usage] ?? 0) ?? Money.zero,
  );
  return Money.sum([...ofRounds, ...once]);
}

/** Takes the units of the generation out of the usage of a round. */
const ofNoGeneration: Partial<TokenUsage> = Object.fromEntries(
  generationUnits.map(({ usage: field }) => [field, undefined]),
);
