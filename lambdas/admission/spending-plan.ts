import { affordableOutputTokens, outputUpperBound, priceUpperBound, type UsageBound } from '../accounting/price.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

/** The prices of one endpoint for a request, and the bounds of the usage that it can report. */
export interface Quote {
  pricing: Pricing;
  /** `outputTokens` is the maximum that this endpoint may write in this request. */
  bound: UsageBound;
  /** Output that may be billed without being shown, so it cannot be watched. It is held from the start. */
  hiddenReasoningTokens: number;
  /** The part of the output that max_tokens does not bound: some providers do not count thinking in it. */
  beyondMaxTokens: number;
}

/** Possible costs of a request before it is sent. The hold covers the most expensive candidate. */
export interface SpendingPlan {
  quotes: Quote[];
  /** Output that the first step of the hold pays for. Each later step is twice the one before. */
  stepTokens: number;
  /** First hold: the prompt, one step of output, and hidden output. */
  amount: Money;
  /** The part of the amount for the prompt and the fee of the request. */
  inputAmount: Money;
}

export function planSpending(quotes: Quote[], stepTokens: number): SpendingPlan {
  const amounts = quotes.map((quote) => ({
    amount: priceUpperBound({ ...quote.bound, outputTokens: firstStep(quote, stepTokens) }, quote.pricing),
    inputAmount: priceUpperBound({ ...quote.bound, outputTokens: 0 }, quote.pricing),
  }));
  const mostExpensive = amounts.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a));
  return { quotes, stepTokens, ...mostExpensive };
}

/**
 * The same request with an answer that `room` can pay for. Output that can be watched is held step by step anyway. For
 * hidden output, a shorter answer keeps the budget strict without a refusal for output that would never be used.
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

/** The same request with at most one step of output: the smallest possible hold. */
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

/** Maximum output tokens over all endpoints. */
export function maxAnswerTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.outputTokens));
}

/** Maximum output beyond max_tokens over all endpoints. */
export function beyondMaxTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map((quote) => quote.beyondMaxTokens));
}

/** The shortest useful answer. */
const MIN_ANSWER_TOKENS = 16;

/** Minimum cost of a useful answer, without any prompt. If less remains, there is nothing to advise. */
export function minAmount({ quotes }: SpendingPlan): Money {
  const [first, ...rest] = quotes.map(({ bound, pricing }) =>
    outputUpperBound(bound, pricing).times(Math.min(MIN_ANSWER_TOKENS, bound.outputTokens)),
  );
  return Money.min(first!, ...rest);
}

/** The longest answer that an amount pays for at every endpoint. Infinity if it pays for the longest answer of each. */
export function affordableTokens(plan: SpendingPlan, amount: Money): number {
  const affordable = plan.quotes.map(({ bound, pricing }) => {
    const tokens = affordableOutputTokens(amount, bound, pricing);
    return tokens < bound.outputTokens ? tokens : Infinity;
  });
  return Math.min(...affordable);
}

/** Output tokens that the first hold of a quote must pay for. */
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
