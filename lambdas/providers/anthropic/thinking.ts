import { samplingParameters, type TuningParameter } from '../../catalog/sampling-parameters.ts';
import { without } from '../../messages/without.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { ClaudeQuirks, Quirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';
import { thinks, withSupportedThinking } from './supported-thinking.ts';

/**
 * Returns how many billed output tokens may be missing from the answer, at most: thinking is billed, but the answer may
 * have only a summary. A model may exceed `budget_tokens`, so only max_tokens bounds the thinking.
 * @throws {GatewayError} 400 as `withSupportedThinking`
 */
export function hiddenReasoning(
  request: MessagesRequest,
  { quirks }: WireTarget<Quirks & ClaudeQuirks>,
  maxOutputTokens: number,
): number {
  const isThinking = thinks(withSupportedThinking(request, quirks, maxOutputTokens), quirks);
  return isThinking || quirks.hidden_reasoning ? maxOutputTokens : 0;
}

/**
 * Returns the sampling parameters that the model supports in general, but not in this request.
 * @throws {GatewayError} 400 as `withSupportedThinking`
 */
export function unsupportedClaudeTunings(
  request: MessagesRequest,
  { quirks, maxOutputTokens = Infinity }: WireTarget<Quirks & ClaudeQuirks>,
): readonly TuningParameter[] {
  const maxTokens = Math.min(request.max_tokens ?? maxOutputTokens, maxOutputTokens);
  const sent = withSupportedThinking(request, quirks, maxTokens);
  return samplingParameters.filter((name) => request[name] !== undefined && sent[name] === undefined);
}

/**
 * Returns the thinking setting with a budget below max_tokens, lowered only if max_tokens is the endpoint's limit.
 * @param betas betas that the provider gets
 * @throws {GatewayError} 400 if the budget is not below the client's own max_tokens, unless the request has the beta
 *   interleaved-thinking
 */
export function withFittingBudget(
  { thinking, max_tokens: requested }: MessagesRequest,
  maxTokens: number,
  betas = '',
): MessagesRequest['thinking'] {
  const budget = thinking!.budget_tokens;
  if (!budget || budget < maxTokens) return thinking;
  if (requested !== maxTokens) return { ...thinking!, budget_tokens: maxTokens - 1 };
  // With the beta interleaved-thinking, the budget covers all thinking between tool calls, and may exceed max_tokens.
  if (betas.includes('interleaved-thinking-')) return thinking;
  throw invalidRequest('thinking.budget_tokens', `must be less than max_tokens, which is ${maxTokens}`);
}

/**
 * Returns the thinking setting without members whose beta the endpoint does not accept: `block_binding`, which only
 * concerns unreadable thinking. Progress updates become summaries. https://github.com/BerriAI/litellm/pull/41203
 */
export function withKnownMembers<Setting extends object & { display?: unknown }>(
  thinking: Setting,
  lacks: (beta: string) => boolean,
): Setting {
  const known = lacks('thinking-binding-controls-2026-08-01') ? without(thinking, 'block_binding') : thinking;
  const isUnknown = known.display === 'updates' && lacks('thinking-display-updates-2026-08-18');
  return isUnknown ? { ...known, display: 'summarized' } : known;
}
