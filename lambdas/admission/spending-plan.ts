import {
  affordableOutputTokens,
  inputUpperBound,
  outputUpperBound,
  priceUpperBound,
  type UsageBound,
} from '../accounting/price.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

export interface Quote {
  pricing: Pricing;
  /** Upper bound on the usage; `outputTokens` is the maximum that this endpoint may write. */
  bound: UsageBound;
  /**
   * Output tokens that may be billed without being shown. They cannot be measured during the answer, so they are held
   * from the start.
   */
  hiddenReasoningTokens: number;
  /** Output tokens in addition to max_tokens, because some providers do not count thinking in max_tokens. */
  beyondMaxTokens: number;
}

/** Plan of a hold, which covers the most expensive candidate. */
export interface SpendingPlan {
  quotes: Quote[];
  stepTokens: number;
  /** Amount of the first hold: the prompt, one step of output, and hidden output. */
  amount: Money;
  inputAmount: Money;
}

export function planSpending(quotes: Quote[], stepTokens: number): SpendingPlan {
  const amounts = quotes.map((quote) => ({
    amount: priceUpperBound({ ...quote.bound, outputTokens: firstStep(quote, stepTokens) }, quote.pricing),
    inputAmount: inputUpperBound(quote.bound, quote.pricing),
  }));
  const mostExpensive = amounts.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a));
  return { quotes, stepTokens, ...mostExpensive };
}

/**
 * Returns the plan with a shorter answer that `room` can pay for. Only plans with hidden output are shortened, because
 * visible output is held step by step.
 * @returns undefined if not even one step of output fits, or if nothing would change
 */
export function shortened(plan: SpendingPlan, room: Money): SpendingPlan | undefined {
  if (plan.quotes.every(({ hiddenReasoningTokens }) => hiddenReasoningTokens === 0)) return undefined;
  const affordable = affordableTokens(plan, room);
  const longest = maxAnswerTokens(plan);
  if (affordable >= longest || affordable < Math.min(plan.stepTokens + beyondMaxTokens(plan), longest))
    return undefined;
  return withOutputUpTo(plan, affordable);
}

/** Returns the plan with at most one step of output. */
export function shortest(plan: SpendingPlan): SpendingPlan {
  return withOutputUpTo(plan, plan.stepTokens);
}

function withOutputUpTo(plan: SpendingPlan, maxTokens: number): SpendingPlan {
  const quotes = plan.quotes.map((quote) => {
    const outputTokens = Math.min(quote.bound.outputTokens, maxTokens);
    return { ...quote, bound: { ...quote.bound, outputTokens } };
  });
  return planSpending(quotes, plan.stepTokens);
}

/** Returns the maximum output tokens over all endpoints. */
export function maxAnswerTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.outputTokens));
}

/** Returns the upper bound on prompt and answer tokens over all endpoints. */
export function maxTokensOf({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.promptTokens + bound.outputTokens));
}

/** Returns the maximum output tokens beyond max_tokens over all endpoints. */
export function beyondMaxTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map((quote) => quote.beyondMaxTokens));
}

const MIN_ANSWER_TOKENS = 16;

/** Returns the minimum cost of a useful answer, without the prompt. */
export function minAmount({ quotes }: SpendingPlan): Money {
  const [first, ...rest] = quotes.map(({ bound, pricing }) =>
    priceUpperBound({ ...bound, outputTokens: Math.min(MIN_ANSWER_TOKENS, bound.outputTokens) }, pricing).minus(
      inputUpperBound(bound, pricing),
    ),
  );
  return Money.min(first!, ...rest);
}

/**
 * Returns the length in tokens of the longest answer that an amount pays for at every endpoint; Infinity if the amount
 * pays for the maximum at every endpoint.
 */
export function affordableTokens(plan: SpendingPlan, amount: Money): number {
  const affordable = plan.quotes.map(({ bound, pricing }) => {
    const tokens = affordableOutputTokens(amount, bound, pricing);
    return tokens < bound.outputTokens ? tokens : Infinity;
  });
  return Math.min(...affordable);
}

/** Output tokens that the first hold must pay for at an endpoint. */
export function firstStep({ bound, hiddenReasoningTokens }: Quote, stepTokens: number): number {
  return Math.min(bound.outputTokens, stepTokens + hiddenReasoningTokens);
}

/** Output tokens that an amount pays for after a prompt of known cost. */
export function coveredTokens(amount: Money, promptCost: Money, quote: Quote): number {
  const price = outputUpperBound(quote.bound, quote.pricing);
  if (price.isZero) return Infinity;
  const left = amount.minus(promptCost);
  return left.isNegative ? 0 : price.unitsIn(left);
}
