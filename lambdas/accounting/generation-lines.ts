/**
 * How the price of a generation comes about, from its record alone: a line for each request to a provider, in it the units
 * of each meter and the price of one.
 *
 * Guarantee: nothing but the record is used, and its `total_cost_rub` only to be compared with. So where the lines come to
 * something else, the record does not prove its price.
 */

import { costOfUnits, meteredUnits, type MeteredUnits } from './price.ts';
import type { FinalGeneration } from './daily-sums.ts';
import type { Pricing } from '../catalog/schema.ts';
import { tierOf } from '../catalog/tiers.ts';
import { Money } from '../money/money.ts';
import type { RoundUsage } from '../store/generations/outcome.ts';

export interface GenerationLine {
  /** Counted from 1. */
  round: number;
  units: readonly MeteredUnits[];
  usage: RoundUsage;
  /** Prompts longer than this are charged at the line's prices; undefined where the model's usual ones are. */
  tierAboveTokens: number | undefined;
  /** Below zero where the charge is cut to what was held; on the last line. */
  cut: Money;
  /** The sum of its units and its cut, in RUB. */
  cost: Money;
}

const noPrices: Pricing = { prompt: Money.zero, completion: Money.zero };

/** The lines of a final generation, at least one; those of one without usage come to nothing. */
export function linesOf({ outcome, hold }: FinalGeneration): GenerationLine[] {
  // A record that has lost its prices proves nothing, and is told by that.
  const pricing = outcome.pricing ?? noPrices;
  const rounds = outcome.rounds.length > 0 ? outcome.rounds : [outcome];
  const last = rounds.length - 1;
  const lines = rounds.map((usage, index) => {
    // Searches and seconds belong to the generation; they stand on its last line.
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
 * Whether the lines come to what was charged, and that is not more than what was held; and whether the tokens of the generation are
 * those of its rounds.
 */
export function provesItsPrice(generation: FinalGeneration, lines: readonly GenerationLine[]): boolean {
  const { outcome, hold } = generation;
  const isWithinHold = hold.scopes.length === 0 || !outcome.cost.exceeds(hold.amount);
  const hasTokensOfRounds = tokenFields.every(
    (name) => lines.reduce((sum, { usage }) => sum + (usage[name] ?? 0), 0) === (outcome[name] ?? 0),
  );
  return isWithinHold && hasTokensOfRounds && Money.sum(lines.map(({ cost }) => cost)).equals(outcome.cost);
}

const tokenFields = [
  'promptTokens',
  'completionTokens',
  'reasoningTokens',
  'cachedTokens',
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'pricedImages',
] as const satisfies readonly (keyof RoundUsage)[];

function unitsOfRound(usage: RoundUsage, pricing: Pricing): MeteredUnits[] {
  const { promptTokens, completionTokens } = usage;
  // An answer that is not charged has no tokens.
  if (promptTokens === 0 && completionTokens === 0) return [];
  const cached = usage.cachedTokens ?? 0;
  const written5m = usage.cacheWrite5mTokens ?? 0;
  const written1h = usage.cacheWrite1hTokens ?? 0;
  return meteredUnits(
    {
      inputTokens: promptTokens - cached - written5m - written1h,
      outputTokens: completionTokens,
      cacheReadTokens: cached,
      cacheWrite5mTokens: written5m,
      cacheWrite1hTokens: written1h,
      reasoningTokens: usage.reasoningTokens ?? 0,
      pricedImages: usage.pricedImages ?? 0,
    },
    pricing,
  );
}

function unitsOfGeneration(
  { searchRequests, videoSeconds }: FinalGeneration['outcome'],
  { web_search, video_second }: Pricing,
): MeteredUnits[] {
  const units: MeteredUnits[] = [];
  if (searchRequests && web_search) units.push({ meter: 'search', quantity: searchRequests, price: web_search });
  if (videoSeconds && video_second) units.push({ meter: 'video_second', quantity: videoSeconds, price: video_second });
  return units;
}

function tierAbove({ promptTokens }: RoundUsage, pricing: Pricing): number | undefined {
  return tierOf(promptTokens, pricing)?.min_prompt_tokens;
}
