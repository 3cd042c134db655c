/**
 * Thinking, effort, forced tools and sampling as one model of Claude takes them, on every wire that reaches it. Models refuse each other's
 * forms: the nearest form is sent. docs/wires/anthropic.md has the rules; the catalog has the facts of each model.
 */

import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';
import type { ClaudeQuirks } from '../../catalog/quirk-schemas.ts';
import { without } from '../../messages/without.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { budgetsOfEfforts, effortOfBudget, nearestEffort } from '../translated/effort.ts';
import { beginsTurnUnthought } from './turn-thinking.ts';

type Thinking = NonNullable<MessagesRequest['thinking']>;
type SentEffort = NonNullable<MessagesRequest['output_config']>['effort'];

/** The least budget of the Messages API. */
const LEAST_BUDGET = 1_024;
/** Budgets of efforts, in tokens. Half of the limit of the answer is left for words. */
const claudeBudgets: Partial<Record<string, number>> = { ...budgetsOfEfforts, high: 32_768 };
/** The effort of thinking that is asked for without saying how much. */
const USUAL_EFFORT = 'medium';

/**
 * Returns the request as the model takes it; the same request if it takes it as it is.
 * @param maxTokens limit of the answer, which contains the thinking
 * @throws {GatewayError} 400 for a forced tool where the model cannot be made to call one
 */
export function withTakenThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): MessagesRequest {
  refuseChoice(request, quirks);
  const thinking = takenThinking(request, quirks, maxTokens);
  refuseBegunAnswer(request, thinking, quirks);
  const effort = takenEffort(request, thinking, quirks);
  const fitting = withFields(request, thinking, effort);
  return withTakenSampling(fitting, quirks);
}

/** Whether the model thinks when it gets the request as it is. */
export function thinks({ thinking }: { thinking?: Thinking | undefined }, quirks: ClaudeQuirks): boolean {
  return thinking ? thinking.type !== 'disabled' : quirks.thinks_by_default === true;
}

function refuseChoice({ tool_choice: choice, tools }: MessagesRequest, { tool_choices: taken }: ClaudeQuirks): void {
  const needsNoWord = choice?.type === 'auto' || choice?.type === 'none';
  if (!choice || needsNoWord || !tools?.length || !taken || taken.includes(choice.type)) return;
  throw invalidRequest(
    'tool_choice.type',
    `"${choice.type}" does not work on this model; use ${taken.map((type) => `"${type}"`).join(' or ')}`,
  );
}

/** A model that thinks begins its answer by itself. */
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

/** With a budget, the turn that goes on has to begin with thinking; without any, the model goes on in another form, or does not think. */
function takenThinking(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
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

/** No thinking, or as little as the model takes; undefined where only a low effort makes it think less. */
function leastThinking({ thinking_forms: forms = [] }: ClaudeQuirks): Thinking | undefined {
  if (forms.includes('disabled')) return { type: 'disabled' };
  return forms.includes('between_tools') ? { type: 'between_tools' } : undefined;
}

function adaptive({ type: _type, budget_tokens: _budget, ...rest }: Thinking): Thinking {
  return { type: 'adaptive', ...rest };
}

/** A budget in the place of an effort. An answer without room for the least budget is written without thinking. */
function budgeted(request: MessagesRequest, quirks: ClaudeQuirks, maxTokens: number): Thinking | undefined {
  const half = Math.floor(maxTokens / 2);
  const asked = claudeBudgets[request.output_config?.effort ?? USUAL_EFFORT] ?? half;
  const budget = Math.min(asked, half);
  if (budget < LEAST_BUDGET) return leastThinking(quirks);
  const { type: _type, ...rest } = request.thinking!;
  return { ...rest, type: 'enabled', budget_tokens: budget };
}

function takenEffort(request: MessagesRequest, thinking: Thinking | undefined, quirks: ClaudeQuirks): SentEffort {
  const { reasoning_efforts: taken, efforts_without_thinking: fewer } = quirks;
  const asked = requestedEffort(request, thinking, quirks);
  // The Messages API has no lower effort than "low".
  if (!asked || !taken) return asked === 'minimal' ? 'low' : asked;
  const isThinking = thinks({ thinking }, quirks) && thinking?.type !== 'between_tools';
  return nearestEffort(asked, isThinking ? taken : (fewer ?? taken));
}

/** A budget that became adaptive thinking is an effort, and thinking that cannot be switched off is the least. */
function requestedEffort(
  { thinking: asked, output_config: output }: MessagesRequest,
  sent: Thinking | undefined,
  { reasoning_efforts: taken = [] }: ClaudeQuirks,
): ReasoningEffort | undefined {
  const said = reasoningEfforts.find((effort) => effort === output?.effort);
  if (asked?.type === 'enabled' && sent?.type === 'adaptive') return said ?? effortOfBudget(asked.budget_tokens);
  const cannotStop = asked !== undefined && sent === undefined;
  return cannotStop ? taken[0] : said;
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

/** A model that thinks has its own sampling, and most models of Claude take one way of it. */
function withTakenSampling(request: MessagesRequest, quirks: ClaudeQuirks): MessagesRequest {
  if (quirks.thinking_fixes_sampling && thinks(request, quirks)) {
    return ['temperature', 'top_p', 'top_k'].reduce<MessagesRequest>(
      (rest, name) => (rest[name] === undefined ? rest : without(rest, name)),
      request,
    );
  }
  const hasBoth = request.temperature !== undefined && request.top_p !== undefined;
  return hasBoth && quirks.temperature_or_top_p ? without(request, 'top_p') : request;
}
