/** Adapts thinking, effort, forced tools and sampling to one Claude model, on every wire (docs/wires/anthropic.md). */

import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';
import type { ClaudeQuirks } from '../../catalog/quirk-schemas.ts';
import { endsWithBegunAnswer } from '../../messages/begun-answer.ts';
import { withOutput } from '../../messages/output-format.ts';
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
/** Thinking budgets by effort, in tokens. They are limited to half of max_tokens, to leave the rest for text. */
const claudeBudgets: Partial<Record<string, number>> = { ...budgetsOfEfforts, high: 32_768 };
/** Effort that determines the thinking budget if the request names neither an effort nor a budget. */
const USUAL_EFFORT = 'medium';

/**
 * Returns the request with settings that the model accepts.
 * @param maxTokens maximum length of the answer, including its thinking
 * @throws {GatewayError} 400 for an unsupported tool choice, or an answer begun by the client if the model would think
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

/** Refuses an answer that the client began, because Claude does not continue it with thinking. */
function refuseBegunAnswer({ messages }: MessagesRequest, thinking: Thinking | undefined, quirks: ClaudeQuirks): void {
  const isBegun = quirks.thinking_forms && endsWithBegunAnswer(messages);
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
 * Returns the thinking setting that the model accepts. With a thinking budget, Claude requires that the continued turn
 * begins with a thinking block. If it does not, another setting replaces the budget, or no setting is sent.
 */
function supportedThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const thinking = nearestThinking(request, quirks, maxTokens);
  const { thinking_forms: forms, own_signatures: isImitation } = quirks;
  if (!forms || isImitation || thinking?.type !== 'enabled' || !beginsTurnUnthought(request.messages)) return thinking;
  return forms.includes('adaptive') ? adaptive(thinking) : leastThinking(quirks);
}

/**
 * Returns the setting that is nearest to the requested setting and that the model accepts. The types `disabled` and
 * `between_tools` have no other members, which Claude would reject (https://github.com/mnfst/llm-gateway/pull/2552).
 */
function nearestThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const { thinking } = request;
  const { thinking_forms: forms, own_signatures: isImitation } = quirks;
  if (!forms) return thinking;
  const isRuledOut =
    quirks.forced_tool_needs_no_thinking === true && isForced(request.tool_choice) && thinks(request, quirks);
  if (isRuledOut) return leastThinking(quirks);
  switch (thinking?.type) {
    case undefined:
      return undefined;
    case 'adaptive':
      return forms.includes('adaptive') ? adaptive(thinking) : budgeted(request, quirks, maxTokens);
    case 'enabled':
      if (forms.includes('budget') && (thinking.budget_tokens || isImitation)) return thinking;
      return forms.includes('adaptive') ? adaptive(thinking) : budgeted(request, quirks, maxTokens);
    case 'between_tools':
      return forms.includes('between_tools') ? { type: 'between_tools' } : leastThinking(quirks);
    default:
      return leastThinking(quirks);
  }
}

/**
 * Returns the setting with the least thinking: no thinking, or only between tools; undefined if both are unsupported.
 */
function leastThinking({ thinking_forms: forms = [] }: ClaudeQuirks): Thinking | undefined {
  if (forms.includes('disabled')) return { type: 'disabled' };
  return forms.includes('between_tools') ? { type: 'between_tools' } : undefined;
}

function adaptive({ type: _type, budget_tokens: _budget, ...rest }: Thinking): Thinking {
  return { type: 'adaptive', ...rest };
}

/** Returns a thinking budget for the effort; without room for the minimum budget, the least thinking. */
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
 * Returns the effort before it is adapted to the model. If adaptive thinking replaces a budget, and the client set no
 * effort, the effort follows from the budget. If the thinking setting was dropped, it is the model's lowest effort.
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
  const { effort: _effort, ...output } = askedOutput ?? {};
  return withOutput(
    { ...without(request, 'thinking'), ...(thinking ? { thinking } : {}) },
    effort ? { ...output, effort } : output,
  );
}

/** Drops sampling parameters that the model rejects. */
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
