import type { Endpoint } from '../catalog/catalog.ts';
import { generationUnits, priceNameOf } from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import type { Charged } from './charge.ts';
import { priceUsage } from './price.ts';
import { isUsed, type TokenUsage } from './usage.ts';

/**
 * Returns the cost of an answer for the service, at the purchase prices of its endpoint. An uncharged answer has no
 * usage, and is assumed to cost nothing.
 *
 * Weakness: usage above the request's bound is not included, although the service pays for it. Providers' charges for
 * failed attempts are not included either.
 * @returns undefined if the endpoint has no purchase prices
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

const ofNoGeneration: Partial<TokenUsage> = Object.fromEntries(
  generationUnits.map(({ usage: field }) => [field, undefined]),
);
