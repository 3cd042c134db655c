import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';
import { withinBound } from './bound.ts';
import type { Charge } from './ending.ts';
import type { UsageMeter } from './meter.ts';
import { priceUsage, type UsageBound } from './price.ts';
import { addUsage, type TokenUsage } from './usage.ts';

/** Charge for an answer, which may still be running. */
export interface Charged {
  usage: TokenUsage;
  cost: Money;
  cacheSaved: Money;
  estimated: boolean;
  /**
   * Whether the charge was cut: the provider reported more than the request's bound, or the limits had no room for the
   * cost.
   */
  exceeded: boolean;
  isCutByHold: boolean;
  /** Usage of each request to the provider, if there were several. */
  rounds?: TokenUsage[];
}

/** Returns the field of an answer that contains its cost, or no field if the usage was estimated. */
export function finalCost({ cost, estimated }: Pick<Charged, 'cost' | 'estimated'>): { cost?: Money } {
  return estimated ? {} : { cost };
}

export interface Searches {
  count: number;
  price: Money;
}

export const NOTHING_CHARGED: Charged = {
  usage: { inputTokens: 0, outputTokens: 0 },
  cost: Money.zero,
  cacheSaved: Money.zero,
  estimated: false,
  exceeded: false,
  isCutByHold: false,
};

/**
 * Returns the price of the measured usage, within the request's bound.
 *
 * Guarantee: the charge is at most `priceUpperBound(bound)`, whatever the provider reports.
 * @param hiddenSinceMs performance.now() at which hidden reasoning may have begun; undefined if the model has none
 */
export function chargeForMeasured(
  meter: UsageMeter,
  endpoint: { pricing: Pricing; bound: UsageBound },
  charge: Charge,
  hiddenSinceMs: number | undefined,
): Charged {
  if (charge === 'nothing' || (charge === 'reported' && !meter.hasReport)) {
    return NOTHING_CHARGED;
  }
  const measured =
    charge === 'reported'
      ? meter.reportedUsage
      : meter.usage(charge === 'usage and hidden' ? hiddenSinceMs : undefined);
  const { bound, pricing } = endpoint;
  const areLifetimesUnreported = bound.writesForAnHour === true && !meter.reportsCacheLifetimes;
  const thinking = charge === 'reported' ? {} : unreportedThinking(measured.usage, meter, pricing);
  // Estimates of the gateway are limited first, so that they do not set `exceeded`.
  const counted: TokenUsage = {
    ...measured.usage,
    ...(areLifetimesUnreported ? hourlyWrites(measured.usage) : {}),
    ...thinking,
    ...(meter.hasOutputCount ? {} : { outputTokens: Math.min(measured.usage.outputTokens, bound.outputTokens) }),
    ...(meter.hasPromptCount ? {} : { inputTokens: Math.min(measured.usage.inputTokens, bound.promptTokens) }),
  };
  const recordings = unreportedRecordings(counted, bound, pricing);
  const { usage, exceeded } = withinBound({ ...counted, ...recordings }, bound);
  const reportedTooMuch = (meter.reportedOutputTokens ?? 0) > bound.outputTokens;
  const { total, cacheSaved } = priceUsage(usage, pricing);
  return {
    usage,
    cost: total,
    cacheSaved,
    // With a price for each token of recordings or thinking, their estimated number determines the cost.
    estimated:
      measured.estimated ||
      recordings.audioInputTokens !== undefined ||
      (thinking.reasoningTokens !== undefined && pricing.internal_reasoning !== undefined),
    exceeded: exceeded || reportedTooMuch,
    isCutByHold: false,
  };
}

/**
 * Returns the tokens of the shown thinking if the provider reports none, and thinking has its own price. Otherwise an
 * answer with thinking would have the price of an answer without.
 */
function unreportedThinking(
  { reasoningTokens, outputTokens }: TokenUsage,
  { shownThinkingTokens: shown }: UsageMeter,
  pricing: Pricing,
): Partial<TokenUsage> {
  const isPriced = pricing.thinking_completion !== undefined || pricing.internal_reasoning !== undefined;
  return isPriced && !reasoningTokens && shown > 0 ? { reasoningTokens: Math.min(shown, outputTokens) } : {};
}

/** Returns the split of a prompt whose recordings have their own price if the provider does not report their tokens. */
function unreportedRecordings(
  { inputTokens, audioInputTokens }: TokenUsage,
  { recordingTokens = 0 }: UsageBound,
  pricing: Pricing,
): Partial<TokenUsage> {
  if (recordingTokens === 0 || audioInputTokens || pricing.audio_input === undefined) return {};
  const heard = Math.min(recordingTokens, inputTokens);
  return heard > 0 ? { inputTokens: inputTokens - heard, audioInputTokens: heard } : {};
}

/** Converts all cache writes to one-hour writes. */
function hourlyWrites({ cacheWrite5mTokens: short, cacheWrite1hTokens: long }: TokenUsage): Partial<TokenUsage> {
  if (!short) return {};
  return { cacheWrite5mTokens: undefined, cacheWrite1hTokens: short + (long ?? 0) };
}

/**
 * Reduces a measured charge to a lower cost.
 * @param cost amount for which the limits have room
 */
export function cappedAt(measured: Charged, cost: Money): Charged {
  return cost.equals(measured.cost) ? measured : { ...measured, cost, exceeded: true, isCutByHold: true };
}

/**
 * Returns the total charge of separately priced requests to the provider (rounds).
 * @param rounds at least one
 */
export function chargedTogether(rounds: readonly Charged[]): Charged {
  return {
    usage: rounds.map((round) => round.usage).reduce(addUsage),
    cost: Money.sum(rounds.map(({ cost }) => cost)),
    cacheSaved: Money.sum(rounds.map(({ cacheSaved }) => cacheSaved)),
    estimated: rounds.some(({ estimated }) => estimated),
    exceeded: rounds.some(({ exceeded }) => exceeded),
    isCutByHold: rounds.some(({ isCutByHold }) => isCutByHold),
    ...(rounds.length > 1 ? { rounds: rounds.map((round) => round.usage) } : {}),
  };
}

export function withSearches(tokens: Charged, { count, price }: Searches): Charged {
  if (count === 0) return tokens;
  const searchRequests = (tokens.usage.searchRequests ?? 0) + count;
  return { ...tokens, usage: { ...tokens.usage, searchRequests }, cost: tokens.cost.plus(price.times(count)) };
}
