import { reasoningEfforts, type ReasoningEffort } from '../../catalog/quirk-values.ts';
import type { OpenaiChatQuirks } from '../../catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { budgetsOfEfforts, effortOfBudget, nearestEffort } from '../translated/effort.ts';
import type { ChatTarget } from './target.ts';

/** Returns the fields that control thinking, in the provider's own form. */
export function thinkingFields(request: MessagesRequest, target: ChatTarget): Record<string, unknown> {
  const { quirks, supportedParameters } = target;
  if (!supportedParameters.includes('reasoning')) return {};
  return { ...askedThinking(request, quirks), ...(quirks.reasoning_format ? { reasoning_format: 'parsed' } : {}) };
}

function askedThinking(request: MessagesRequest, quirks: OpenaiChatQuirks): Record<string, unknown> {
  const wanted = request.thinking ? request.thinking.type !== 'disabled' : undefined;
  const budget = wanted ? request.thinking?.budget_tokens : undefined;
  switch (quirks.reasoning_request ?? 'none') {
    case 'none':
      return {};
    case 'reasoning_effort':
      return effortFields(request, quirks.reasoning_efforts ?? ['low', 'medium', 'high']);
    case 'reasoning_enabled':
      return {
        ...(wanted === undefined ? {} : { reasoning: { enabled: wanted } }),
        ...(wanted === false ? {} : effortFields(request, quirks.reasoning_efforts)),
      };
    case 'reasoning_object': {
      if (wanted === false && (quirks.reasoning_efforts?.includes('none') ?? true))
        return { reasoning: { enabled: false } };
      if (budget) return { reasoning: { max_tokens: budget } };
      const { reasoning_effort: effort } = effortFields(request, quirks.reasoning_efforts ?? ['low', 'medium', 'high']);
      if (effort) return { reasoning: { effort } };
      return wanted ? { reasoning: { enabled: true } } : {};
    }
    case 'enable_thinking':
      if (wanted === undefined) return {};
      return {
        enable_thinking: wanted,
        ...thinkingBudget(budget ?? (wanted ? budgetOfEffort(request) : undefined), quirks),
      };
    case 'thinking_type':
      return {
        ...(wanted === undefined ? {} : { thinking: { type: wanted ? 'enabled' : 'disabled' } }),
        ...(wanted === false ? {} : effortFields(request, quirks.reasoning_efforts)),
      };
  }
}

function thinkingBudget(
  budget: number | null | undefined,
  { max_thinking_budget: most = Infinity }: OpenaiChatQuirks,
): { thinking_budget?: number } {
  return budget ? { thinking_budget: Math.min(budget, most) } : {};
}

/**
 * Returns the field for the nearest effort that the endpoint accepts.
 * @param accepted efforts that the endpoint accepts, in any order; undefined if it has no field for an effort
 */
function effortFields(
  request: MessagesRequest,
  accepted: readonly ReasoningEffort[] | undefined,
): { reasoning_effort?: ReasoningEffort } {
  const requested = requestedChatEffort(request, accepted);
  if (!accepted || requested === undefined) return {};
  const effort = nearestEffort(requested, accepted);
  return effort ? { reasoning_effort: effort } : {};
}

/** Returns the budget for an effort; undefined for high efforts, so that the endpoint's default applies. */
function budgetOfEffort({ output_config: output }: MessagesRequest): number | undefined {
  return budgetsOfEfforts[output?.effort ?? ''];
}

function requestedChatEffort(
  { thinking, output_config: output }: MessagesRequest,
  accepted: readonly ReasoningEffort[] | undefined,
): ReasoningEffort | undefined {
  if (thinking?.type === 'disabled') return 'none';
  const effort = reasoningEfforts.find((name) => name === output?.effort) ?? effortOfBudget(thinking?.budget_tokens);
  // A model with the effort "none" might not think by default, so thinking is requested with a medium effort.
  return effort ?? (thinking && accepted?.includes('none') ? 'medium' : undefined);
}
