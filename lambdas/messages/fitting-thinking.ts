import type { MessagesRequest } from './types.ts';

/** The least that the Messages API takes for `thinking.budget_tokens`. */
const MIN_BUDGET_TOKENS = 1_024;

/** Half of a shorter answer may be thinking: a budget must be below max_tokens, and has a least size. */
export function fittingThinking({ thinking }: MessagesRequest, maxTokens: number): Pick<MessagesRequest, 'thinking'> {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  if (!thinking || !budget || budget < maxTokens) return {};
  const half = Math.floor(maxTokens / 2);
  return { thinking: half < MIN_BUDGET_TOKENS ? { type: 'disabled' } : { ...thinking, budget_tokens: half } };
}
