/** How much a model is to think, as clients of OpenAI's APIs and of OpenRouter's ask for it. */

import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import type { MessagesRequest } from '../messages/types.ts';

/** The least budget of the Messages API; a smaller one is raised to it. */
const MIN_BUDGET_TOKENS = 1_024;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const reasoningEffort = optionalField(z.enum(efforts));
type AskedEffort = z.output<typeof reasoningEffort>;

/** The text is for readers: no model here makes its summaries longer or shorter on request. */
export const reasoningSummary = optionalField(z.enum(['auto', 'concise', 'detailed', 'none']));

export interface AskedThinking {
  enabled?: boolean | null | undefined;
  effort?: AskedEffort;
  maxTokens?: number | null | undefined;
  /** The model thinks, and nobody is shown what. */
  isHidden: boolean;
}

type ThinkingFields = Pick<MessagesRequest, 'thinking' | 'output_config'>;

/** The same in the Messages API; nothing where nothing was asked. */
export function askedThinkingFields({ enabled, effort, maxTokens, isHidden }: AskedThinking): ThinkingFields {
  if (enabled === false || effort === 'none') return { thinking: { type: 'disabled' } };
  const display = isHidden ? 'omitted' : 'summarized';
  if (maxTokens) {
    return { thinking: { type: 'enabled', budget_tokens: Math.max(maxTokens, MIN_BUDGET_TOKENS), display } };
  }
  if (!effort) return enabled ? { thinking: { type: 'adaptive', display } } : {};
  return { thinking: { type: 'adaptive', display }, output_config: { effort } };
}
