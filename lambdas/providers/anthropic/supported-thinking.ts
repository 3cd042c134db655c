/**
 * Adapts thinking, effort, forced tools and sampling to one Claude model, on every wire that serves Claude. Models
 * reject some settings, so the gateway sends the nearest setting that the model accepts. docs/wires/anthropic.md has
 * the rules; the catalog has the facts of each model.
 */

import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';
import type { ClaudeQuirks } from '../../catalog/quirk-schemas.ts';
import { without } from '../../messages/without.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { budgetsOfEfforts, effortOfBudget, nearestEffort } from '../translated/effort.ts';
import { refuseUnsupportedChoice } from '../translated/tool-choice.ts';
import { beginsTurnUnthought } from './turn-thinking.ts';

type Thinking = NonNullable<MessagesRequest['thinking']>;
type SentEffort = NonNullable<MessagesRequest['output_config']>['effort'];

/** Minimum thinking budget of the Messages API, in tokens. */
const LEAST_BUDGET = 1_024;
/**
 * Thinking budgets by effort, in tokens. They are lowered to half of max_tokens, so that the other half is left for
 * text.
 */
const claudeBudgets: Partial<Record<string, number>> = { ...budgetsOfEfforts, high: 32_768 };
/** Effort that determines the thinking budget if the request names neither an effort nor a budget. */
const USUAL_EFFORT = 'medium';

/**
 * Returns the request with settings that the model accepts; the same request if nothing changes.
 * @param maxTokens maximum length of the answer, including its thinking
 * @throws {GatewayError} 400 for a tool choice that the model does not support
 * @throws {GatewayError} 400 if the client began the answer, and the model would think
 */
export function withSupportedThinking(
  request: MessagesRequest,
  quirks: ClaudeQuirks,
  maxTokens: number,
): MessagesRequest {
  refuseUnsupportedChoice(request, quirks.tool_choices);
  const thinking = supportedThinking(request, quirks, maxTokens);
  refuseBegunAnswer(request, thinking, quirks);
  const effort = supportedEffort(request, thinking, quirks);
  const fitting = withFields(request, thinking, effort);
  return withSupportedSampling(fitting, quirks);
}

/** Returns whether the model thinks for this request. */
export function thinks({ thinking }: { thinking?: Thinking | undefined }, quirks: ClaudeQuirks): boolean {
  return thinking ? thinking.type !== 'disabled' : quirks.thinks_by_default === true;
}

/**
 * Refuses a request with thinking whose last message is an assistant message, the beginning of the answer. With
 * thinking, Claude does not continue an answer that the client began.
 */
function refuseBegunAnswer({ messages }: MessagesRequest, thinking: Thinking | undefined, quirks: ClaudeQuirks): void {
  const isBegun = quirks.thinking_forms && messages.at(-1)?.role === 'assistant';
  if (!isBegun || !thinks({ thinking }, quirks)) return;
  throw invalidRequest(
    `messages.${messages.length - 1}.role`,
    'must be "user" in the last message while this model thinks; leave out thinking, or the answer that you have begun',
  );
}

function isForced(choice: MessagesRequest['tool_choice']): boolean {
  return choice?.type === 'any' || choice?.type === 'tool';
}

/**
 * Returns the thinking setting to send. With a thinking budget, Claude requires that the turn which the request
 * continues begins with a thinking block. If the client did not keep that block, the model gets adaptive thinking or as
 * little thinking as it allows.
 */
function supportedThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const thinking = nearestThinking(request, quirks, maxTokens);
  const { thinking_forms: forms, own_signatures: isImitation } = quirks;
  if (!forms || isImitation || thinking?.type !== 'enabled' || !beginsTurnUnthought(request.messages)) return thinking;
  return forms.includes('adaptive') ? adaptive(thinking) : leastThinking(quirks);
}

function nearestThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const { thinking } = request;
  const { thinking_forms: forms } = quirks;
  if (!forms) return thinking;
  const isRuledOut =
    quirks.forced_tool_needs_no_thinking === true && isForced(request.tool_choice) && thinks(request, quirks);
  if (isRuledOut) return leastThinking(quirks);
  switch (thinking?.type) {
    case undefined:
      return undefined;
    case 'adaptive':
      return forms.includes('adaptive') ? thinking : budgeted(request, quirks, maxTokens);
    case 'enabled':
      return forms.includes('budget') ? thinking : adaptive(thinking);
    case 'between_tools':
      return forms.includes('between_tools') ? thinking : leastThinking(quirks);
    default:
      return forms.includes('disabled') ? thinking : leastThinking(quirks);
  }
}

/**
 * Returns the setting with the least thinking that the model allows: disabled, or only between tool calls. Returns
 * undefined if the model allows neither; then only a low effort reduces the thinking.
 */
function leastThinking({ thinking_forms: forms = [] }: ClaudeQuirks): Thinking | undefined {
  if (forms.includes('disabled')) return { type: 'disabled' };
  return forms.includes('between_tools') ? { type: 'between_tools' } : undefined;
}

function adaptive({ type: _type, budget_tokens: _budget, ...rest }: Thinking): Thinking {
  return { type: 'adaptive', ...rest };
}

/**
 * Returns a thinking budget for the request's effort. If half of max_tokens is less than the minimum budget, returns
 * the setting with the least thinking.
 */
function budgeted(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const half = Math.floor(maxTokens / 2);
  const requested = claudeBudgets[request.output_config?.effort ?? USUAL_EFFORT] ?? half;
  const budget = Math.min(requested, half);
  if (budget < LEAST_BUDGET) return leastThinking(quirks);
  const { type: _type, ...rest } = request.thinking!;
  return { ...rest, type: 'enabled', budget_tokens: budget };
}

function supportedEffort(request: MessagesRequest, thinking: Thinking | undefined, quirks: ClaudeQuirks): SentEffort {
  const { reasoning_efforts: accepted, efforts_without_thinking: fewer } = quirks;
  const requested = requestedEffort(request, thinking, quirks);
  // The lowest effort of the Messages API is "low", so it replaces "minimal" if the model lists no efforts.
  if (!requested || !accepted) return requested === 'minimal' ? 'low' : requested;
  const isThinking = thinks({ thinking }, quirks) && thinking?.type !== 'between_tools';
  return nearestEffort(requested, isThinking ? accepted : (fewer ?? accepted));
}

/**
 * Returns the effort to send, before it is adapted to the model. If a budget became adaptive thinking and the request
 * names no effort, the budget is converted to an effort. If the thinking setting was dropped, returns the model's
 * lowest effort.
 */
function requestedEffort(
  { thinking: requested, output_config: output }: MessagesRequest,
  sent: Thinking | undefined,
  { reasoning_efforts: accepted = [] }: ClaudeQuirks,
): ReasoningEffort | undefined {
  const namedEffort = reasoningEfforts.find((effort) => effort === output?.effort);
  if (requested?.type === 'enabled' && sent?.type === 'adaptive')
    return namedEffort ?? effortOfBudget(requested.budget_tokens);
  const cannotStop = requested !== undefined && sent === undefined;
  return cannotStop ? accepted[0] : namedEffort;
}

function withFields(request: MessagesRequest, thinking: Thinking | undefined, effort: SentEffort): MessagesRequest {
  const { thinking: askedThinking, output_config: askedOutput } = request;
  const isSameEffort = (askedOutput?.effort ?? undefined) === (effort ?? undefined);
  if (thinking === askedThinking && isSameEffort) return request;
  const { thinking: _thinking, output_config: _output, ...rest } = request;
  const { effort: _effort, ...output } = askedOutput ?? {};
  const config = effort ? { ...output, effort } : output;
  return {
    ...rest,
    ...(thinking ? { thinking } : {}),
    ...(Object.keys(config).length > 0 ? { output_config: config } : {}),
  };
}

/**
 * Drops sampling parameters that the model rejects. Some models reject all of them while thinking. Some accept only one
 * of temperature and top_p.
 */
function withSupportedSampling(request: MessagesRequest, quirks: ClaudeQuirks): MessagesRequest {
  if (quirks.thinking_fixes_sampling && thinks(request, quirks)) {
    return ['temperature', 'top_p', 'top_k'].reduce<MessagesRequest>(
      (rest, name) => (rest[name] === undefined ? rest : without(rest, name)),
      request,
    );
  }
  const hasBoth = request.temperature !== undefined && request.top_p !== undefined;
  return hasBoth && quirks.temperature_or_top_p ? without(request, 'top_p') : request;
}
