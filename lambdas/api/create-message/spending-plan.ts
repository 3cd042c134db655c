import { affordableOutputTokens, priceUpperBound } from '../../accounting/price.ts';
import type { PromptSize } from '../../admission/prompt-size.ts';
import type { Pricing } from '../../catalog/schema.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { Money } from '../../money/money.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import type { Candidate } from '../../routing/candidates.ts';

/** What a request may cost, before it is sent. */
export interface SpendingPlan {
  /** The bound of the prompt and the first step of output, at the dearest candidate. */
  amount: Money;
  stepTokens: number;
  /** Output that may be billed without being seen, so that it cannot be watched: it is held from the start. */
  hiddenTokens: number;
  /** The most that the model may write; Infinity where nobody tells it a limit. */
  maxOutputTokens: number;
  affordableTokens: (amount: Money) => number;
}

const DEFAULT_STEP_TOKENS = 4_096;

export function planSpending(candidates: Candidate[], prompt: PromptSize, request: MessagesRequest): SpendingPlan {
  const ceiling = Math.max(...candidates.map(({ endpoint }) => endpoint.maxOutputTokens ?? 0));
  const maxOutputTokens = Math.min(request.max_tokens ?? ceiling, ceiling);
  const stepTokens = positiveIntegerVariable(variables.outputStepTokens, DEFAULT_STEP_TOKENS);
  const hiddenTokens = Math.max(...candidates.map((candidate) => hiddenOutput(candidate, request, maxOutputTokens)));
  const firstStepTokens = Math.min(maxOutputTokens, stepTokens + hiddenTokens);
  const bound = { promptTokens: prompt.boundTokens, outputTokens: firstStepTokens };
  const [first, ...rest] = candidates.map(({ pricing }) => ({ pricing, amount: priceUpperBound(bound, pricing) }));
  const dearest = rest.reduce((a, b) => (b.amount.exceeds(a.amount) ? b : a), first!);
  const isTold = request.max_tokens !== undefined || candidates.every(({ endpoint }) => endpoint.wire === 'anthropic');
  return {
    amount: dearest.amount,
    stepTokens,
    hiddenTokens,
    maxOutputTokens: isTold ? maxOutputTokens : Infinity,
    affordableTokens: (amount) => affordable(amount, prompt.boundTokens, dearest.pricing, firstStepTokens),
  };
}

/** Anthropic bills all of its thinking and shows a summary, or nothing; others may show no reasoning at all. */
function hiddenOutput({ endpoint }: Candidate, { thinking }: MessagesRequest, maxOutputTokens: number): number {
  if (endpoint.quirks.hidden_reasoning) return maxOutputTokens;
  if (endpoint.wire !== 'anthropic' || !thinking || thinking.type === 'disabled') return 0;
  return thinking.type === 'enabled' && thinking.budget_tokens ? thinking.budget_tokens : maxOutputTokens;
}

/** Only worth saying when a smaller max_tokens would really fit. */
function affordable(amount: Money, promptBound: number, pricing: Pricing, stepTokens: number): number {
  const tokens = affordableOutputTokens(amount, promptBound, pricing);
  return tokens > 0 && tokens < stepTokens ? tokens : 0;
}
