/** Thinking settings in requests of OpenAI's and OpenRouter's APIs. */

import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import type { MessagesRequest } from '../messages/types.ts';

/** Minimum thinking budget of the Messages API. The gateway raises lower budgets to this value. */
const MIN_BUDGET_TOKENS = 1_024;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const reasoningEffort = optionalField(z.enum(efforts));
type RequestedEffort = z.output<typeof reasoningEffort>;

/** Requested length of the thinking summary. All lengths are accepted, without effect on the summary. */
export const reasoningSummary = optionalField(z.enum(['auto', 'concise', 'detailed', 'none']));

export interface RequestedThinking {
  enabled?: boolean | null | undefined;
  effort?: RequestedEffort;
  maxTokens?: number | null | undefined;
  /** Whether the client requests an answer without the thinking. */
  isHidden: boolean;
}

type ThinkingFields = Pick<MessagesRequest, 'thinking' | 'output_config'>;

/** Returns the equivalent settings in the Messages API; empty if the client set none. */
export function requestedThinkingFields({ enabled, effort, maxTokens, isHidden }: RequestedThinking): ThinkingFields {
  if (enabled === false || effort === 'none') return { thinking: { type: 'disabled' } };
  const display = isHidden ? 'omitted' : 'summarized';
  if (maxTokens) {
    return { thinking: { type: 'enabled', budget_tokens: Math.max(maxTokens, MIN_BUDGET_TOKENS), display } };
  }
  if (!effort) return enabled ? { thinking: { type: 'adaptive', display } } : {};
  return { thinking: { type: 'adaptive', display }, output_config: { effort } };
}
