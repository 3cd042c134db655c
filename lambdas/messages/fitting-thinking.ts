import type { MessagesRequest } from './types.ts';

/** Minimum of `thinking.budget_tokens` in the Messages API. */
const MIN_BUDGET_TOKENS = 1_024;

/**
 * Returns the thinking setting that fits into max_tokens. A thinking budget that is not below max_tokens becomes half
 * of max_tokens; if that is below the minimum, thinking is disabled. Returns no field if the budget fits.
 */
export function fittingThinking({ thinking }: MessagesRequest, maxTokens: number): Pick<MessagesRequest, 'thinking'> {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  if (!thinking || !budget || budget < maxTokens) return {};
  const half = Math.floor(maxTokens / 2);
  return { thinking: half < MIN_BUDGET_TOKENS ? { type: 'disabled' } : { ...thinking, budget_tokens: half } };
}
