/**
 * Derives the price of a generation from its record.
 *
 * Guarantee: the lines come only from the record, and `total_cost_rub` is used only for comparison. If the sum of the
 * lines differs, the record does not prove its price.
 */

import { costOfUnits, meteredUnits, type MeteredUnits } from './price.ts';
import type { FinalGeneration } from './daily-sums.ts';
import type { Pricing } from '../catalog/schema.ts';
import { tierOf } from '../catalog/tiers.ts';
import { generationUnits, priceNameOf, roundUnits } from '../catalog/unit-lists.ts';
import { Money } from '../money/money.ts';
import type { RoundUsage } from '../store/generations/outcome.ts';
import { usageOfRecord } from './recorded-usage.ts';
import { isUsed } from './usage.ts';

export interface GenerationLine {
  /** Number of the request to a provider, counted from 1. */
  round: number;
  units: readonly MeteredUnits[];
  usage: RoundUsage;
  /** Prompt length in tokens above which the line's price tier applies; undefined for the model's normal prices. */
  tierAboveTokens: number | undefined;
  /** Reduction of the charge to the held amount, as a negative amount. Zero on all lines but the last. */
  cut: Money;
  cost: Money;
}

const noPrices: Pricing = { prompt: Money.zero, completion: Money.zero };

/** Returns the lines of a final generation, at least one. */
export function linesOf({ outcome, hold }: FinalGeneration): GenerationLine[] {
  // Without recorded prices, the lines cost nothing, so they do not add up to the charge.
  const pricing = outcome.pricing ?? noPrices;
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  const last = rounds.length - 1;
  const lines = rounds.map((usage, index) => {
    // Units of the whole generation are on the last line.
    const units = [...unitsOfRound(usage, pricing), ...(index === last ? unitsOfGeneration(outcome, pricing) : [])];
    return { round: index + 1, units, usage, tierAboveTokens: tierAbove(usage, pricing) };
  });
  const expected = Money.sum(lines.map(({ units }) => costOfUnits(units)));
  const isCut = outcome.capped && hold.scopes.length > 0 && expected.exceeds(hold.amount);
  const cut = isCut ? hold.amount.minus(expected) : Money.zero;
  return lines.map((line, index) => {
    const own = index === last ? cut : Money.zero;
    return { ...line, cut: own, cost: costOfUnits(line.units).plus(own) };
  });
}

/**
 * Returns whether the lines sum to the charge and the tokens of the generation, and the charge does not exceed the held
 * amount, if any.
 */
export function provesItsPrice(generation: FinalGeneration, lines: readonly GenerationLine[]): boolean {
  const { outcome, hold } = generation;
  const isWithinHold = hold.scopes.length === 0 || !outcome.cost.exceeds(hold.amount);
  const hasTokensOfRounds = recordedFields.every(
    (name) => lines.reduce((sum, { usage }) => sum + (usage[name] ?? 0), 0) === (outcome[name] ?? 0),
  );
  return isWithinHold && hasTokensOfRounds && Money.sum(lines.map(({ cost }) => cost)).equals(outcome.cost);
}

const recordedFields = ['promptTokens', 'completionTokens', ...roundUnits.map(({ record: [name] }) => name)] as const;

function unitsOfRound(round: RoundUsage, pricing: Pricing): MeteredUnits[] {
  const usage = usageOfRecord(round);
  return isUsed(usage) ? meteredUnits(usage, pricing) : [];
}

function unitsOfGeneration(outcome: FinalGeneration['outcome'], pricing: Pricing): MeteredUnits[] {
  return generationUnits.flatMap((unit) => {
    const [quantity, price] = [outcome[unit.record[0]], pricing[priceNameOf(unit)]];
    return quantity && price ? { meter: unit.meter, quantity, price } : [];
  });
}

function tierAbove({ promptTokens }: RoundUsage, pricing: Pricing): number | undefined {
  return tierOf(promptTokens, pricing)?.min_prompt_tokens;
}
