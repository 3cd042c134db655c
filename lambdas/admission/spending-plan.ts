import { affordableOutputTokens, outputUpperBound, priceUpperBound, type UsageBound } from '../accounting/price.ts';
import type { Pricing } from '../catalog/schema.ts';
import { Money } from '../money/money.ts';

/** What one endpoint may charge for a request: its prices, and the bounds of the usage that it can report. */
export interface Quote {
  pricing: Pricing;
  /** `outputTokens` is the most that this endpoint may write in this request. */
  bound: UsageBound;
  /** Output that may be billed without being shown, so it cannot be watched: it is held from the start. */
  hiddenReasoningTokens: number;
  /** The part of the output that max_tokens does not bound: some providers do not count thinking in it. */
  beyondMaxTokens: number;
}

/** What a request may cost, before it is sent: the hold is made for the dearest of the endpoints that may answer. */
export interface SpendingPlan {
  quotes: Quote[];
  /** Output that the first step of the hold pays for; each later step is twice the one before. */
  stepTokens: number;
  /** Held at once: the prompt, one step of output, and what is hidden. */
  amount: Money;
  /** The part of the amount for the prompt and for the request as such. */
  inputAmount: Money;
}

export function planSpending(quotes: Quote[], stepTokens: number): SpendingPlan {
  const amounts = quotes.map((quote) => ({
    amount: priceUpperBound({ ...quote.bound, outputTokens: firstStep(quote, stepTokens) }, quote.pricing),
    inputAmount: priceUpperBound({ ...quote.bound, outputTokens: 0 }, quote.pricing),
  }));
  const dearest = amounts.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a));
  return { quotes, stepTokens, ...dearest };
}

/**
 * The same request with an answer that `room` can pay for. Output that can be watched is held step by step anyway. For
 * hidden output, a shorter answer keeps a budget hard without refusing for output that would never be used.
 * @returns undefined when not even one step of output fits after what cannot be shortened, or nothing would change
 */
export function shortened(plan: SpendingPlan, room: Money): SpendingPlan | undefined {
  if (plan.quotes.every(({ hiddenReasoningTokens }) => hiddenReasoningTokens === 0)) return undefined;
  const affordable = affordableTokens(plan, room);
  const longest = maxAnswerTokens(plan);
  if (affordable >= longest || affordable < Math.min(plan.stepTokens + beyondMaxTokens(plan), longest))
    return undefined;
  return withOutputUpTo(plan, affordable);
}

/** The same request with at most one step of output: the least that is ever held for it. */
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

/** The most output tokens that any of the endpoints may write. */
export function maxAnswerTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.outputTokens));
}

/** Output beyond any max_tokens, whichever endpoint answers. */
export function beyondMaxTokens({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map((quote) => quote.beyondMaxTokens));
}

/** The shortest answer that is of any use. */
const MIN_ANSWER_TOKENS = 16;

/** What the shortest useful answer costs, however small the prompt is: with less there is nothing to advise. */
export function minAmount({ quotes }: SpendingPlan): Money {
  const [first, ...rest] = quotes.map(({ bound, pricing }) =>
    outputUpperBound(bound, pricing).times(Math.min(MIN_ANSWER_TOKENS, bound.outputTokens)),
  );
  return Money.min(first!, ...rest);
}

/**
 * The longest answer that an amount pays for, whichever endpoint gives it; Infinity when it pays for the longest answer
 * of each.
 */
export function affordableTokens(plan: SpendingPlan, amount: Money): number {
  const affordable = plan.quotes.map(({ bound, pricing }) => {
    const tokens = affordableOutputTokens(amount, bound, pricing);
    return tokens < bound.outputTokens ? tokens : Infinity;
  });
  return Math.min(...affordable);
}

/** How many output tokens the first hold of a quote must pay for. */
export function firstStep({ bound, hiddenReasoningTokens }: Quote, stepTokens: number): number {
  return Math.min(bound.outputTokens, stepTokens + hiddenReasoningTokens);
}

/** How many output tokens an amount pays for after a prompt whose cost is known. */
export function coveredTokens(amount: Money, promptCost: Money, quote: Quote): number {
  const price = outputUpperBound(quote.bound, quote.pricing);
  if (price.isZero) return Infinity;
  const left = amount.minus(promptCost);
  return left.isNegative ? 0 : price.unitsIn(left);
}
