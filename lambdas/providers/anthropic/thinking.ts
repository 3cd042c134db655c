/** Thinking of Claude, wherever it runs. */

import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { Quirks } from '../../catalog/quirk-schemas.ts';
import type { ClientHeaders, WireTarget } from '../wire.ts';

/**
 * All thinking is billed, but shown as a summary or not at all. `budget_tokens` is a target that a model may pass: only
 * max_tokens bounds what it thinks and writes.
 */
export function hiddenReasoning(
  { thinking }: MessagesRequest,
  { quirks }: WireTarget<Quirks & { thinks_by_default?: boolean | undefined }>,
  maxOutputTokens: number,
): number {
  const thinks = thinking ? thinking.type !== 'disabled' : quirks.thinks_by_default;
  return thinks || quirks.hidden_reasoning ? maxOutputTokens : 0;
}

/** A budget that fits what the client asked for must also fit what the model can write. */
export function withFittingBudget(
  { thinking, max_tokens: asked, betas = [] }: MessagesRequest,
  maxTokens: number,
  { anthropicBeta = '' }: ClientHeaders,
): unknown {
  const budget = thinking!.budget_tokens;
  if (!budget || budget < maxTokens) return thinking;
  if (asked !== maxTokens) return { ...thinking, budget_tokens: maxTokens - 1 };
  // With thinking between tool calls, a model may think more than it writes.
  if (`${betas.join()},${anthropicBeta}`.includes('interleaved-thinking-')) return thinking;
  throw invalidRequest('thinking.budget_tokens', `must be less than max_tokens, which is ${maxTokens}`);
}
