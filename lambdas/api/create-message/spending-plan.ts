import { affordableOutputTokens, priceUpperBound } from '../../accounting/price.ts';
import type { PromptSize } from '../../admission/prompt-size.ts';
import type { Pricing } from '../../catalog/schema.ts';
import { Money } from '../../money/money.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import type { Candidate } from '../../routing/candidates.ts';

/** What a request may cost, before it is sent. */
export interface SpendingPlan {
  /** The bound of the prompt and one step of output, at the dearest candidate. */
  amount: Money;
  stepTokens: number;
  /** The most that the model may write. */
  maxOutputTokens: number;
  affordableTokens: (amount: Money) => number;
}

const DEFAULT_STEP_TOKENS = 4_096;

export function planSpending(
  candidates: Candidate[],
  prompt: PromptSize,
  askedTokens: number | undefined,
): SpendingPlan {
  const ceiling = Math.max(...candidates.map(({ endpoint }) => endpoint.maxOutputTokens ?? 0));
  const maxOutputTokens = Math.min(askedTokens ?? ceiling, ceiling);
  const stepTokens = candidates.some(({ endpoint }) => endpoint.quirks.hidden_reasoning)
    ? maxOutputTokens
    : Math.min(maxOutputTokens, positiveIntegerVariable(variables.outputStepTokens, DEFAULT_STEP_TOKENS));
  const bound = { promptTokens: prompt.boundTokens, outputTokens: stepTokens };
  const [first, ...rest] = candidates.map(({ pricing }) => ({ pricing, amount: priceUpperBound(bound, pricing) }));
  const dearest = rest.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a), first!);
  return {
    amount: dearest.amount,
    stepTokens: Math.max(1, stepTokens),
    maxOutputTokens,
    affordableTokens: (amount) => affordable(amount, prompt.boundTokens, dearest.pricing, stepTokens),
  };
}

/** Only worth saying when a smaller max_tokens would really fit. */
function affordable(amount: Money, promptBound: number, pricing: Pricing, stepTokens: number): number {
  const tokens = affordableOutputTokens(amount, promptBound, pricing);
  return tokens > 0 && tokens < stepTokens ? tokens : 0;
}
