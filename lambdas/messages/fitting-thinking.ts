import type { MessagesRequest } from './types.ts';

/** Minimum of `thinking.budget_tokens` in the Messages API. */
const MIN_BUDGET_TOKENS = 1_024;

/**
 * Fits the thinking budget to a shorter answer: a budget must be below max_tokens, so it becomes half of that. Thinking
 * is disabled if half is below the minimum.
 */
export function fittingThinking({ thinking }: MessagesRequest, maxTokens: number): Pick<MessagesRequest, 'thinking'> {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  if (!thinking || !budget || budget < maxTokens) return {};
  const half = Math.floor(maxTokens / 2);
  return { thinking: half < MIN_BUDGET_TOKENS ? { type: 'disabled' } : { ...thinking, budget_tokens: half } };
}
