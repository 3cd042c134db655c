import { reasoningEfforts } from '../../catalog/quirk-values.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { effortOfBudget } from '../translated/effort.ts';
import type { ResponsesTarget } from './target.ts';

type Effort = (typeof reasoningEfforts)[number];

const defaultEfforts: Effort[] = ['low', 'medium', 'high'];
/**
 * Effort that is sent if the client requests thinking, but neither an effort nor a budget. Without any effort, some
 * models do not think.
 */
const REQUESTED_EFFORT = 'medium';

/** Returns the `reasoning` field. Models without reasoning reject it. */
export function reasoningFields(request: MessagesRequest, target: ResponsesTarget): Record<string, unknown> {
  if (!target.supportedParameters.includes('reasoning')) return {};
  const effort = effortOf(request, target);
  const isShown = effort !== 'none' && requestsThinking(request) && request.thinking?.['display'] !== 'omitted';
  const reasoning = {
    ...(effort ? { effort } : {}),
    ...(isShown && target.quirks.reasoning_summary !== 'none' ? { summary: 'auto' } : {}),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

/** Returns whether the model may think for this request. */
export function mayReason(request: MessagesRequest, target: ResponsesTarget): boolean {
  const reasons = target.supportedParameters.includes('reasoning') || target.quirks.hidden_reasoning === true;
  return reasons && effortOf(request, target) !== 'none';
}

function requestsThinking({ thinking }: MessagesRequest): boolean {
  return thinking !== undefined && thinking.type !== 'disabled';
}

/**
 * Returns the highest accepted effort up to the requested effort, or otherwise the lowest accepted effort other than
 * "none". If the client or a request for token probabilities turns thinking off, returns the lowest accepted effort.
 */
function effortOf(request: MessagesRequest, { quirks }: ResponsesTarget): Effort | undefined {
  const needsNone = quirks.logprobs_need_no_thinking && request['logprobs'] === true;
  const requested = needsNone ? 'none' : requestedReasoningEffort(request);
  const accepted = quirks.reasoning_efforts ?? defaultEfforts;
  if (requested === undefined || accepted.length === 0) return undefined;
  if (requested === 'none') return accepted[0];
  const rank = reasoningEfforts.indexOf(requested);
  const thinking = accepted.filter((effort) => effort !== 'none');
  return thinking.findLast((effort) => reasoningEfforts.indexOf(effort) <= rank) ?? thinking[0];
}

function requestedReasoningEffort(request: MessagesRequest): Effort | undefined {
  if (request.thinking?.type === 'disabled') return 'none';
  const namedEffort = reasoningEfforts.find((effort) => effort === request.output_config?.effort);
  if (namedEffort) return namedEffort;
  return requestsThinking(request) ? (effortOfBudget(request.thinking?.budget_tokens) ?? REQUESTED_EFFORT) : undefined;
}
