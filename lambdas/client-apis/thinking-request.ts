import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import type { MessagesRequest } from '../messages/types.ts';

/** Minimum thinking budget of the Messages API. The gateway raises lower budgets to this value, except 0 and -1. */
const MIN_BUDGET_TOKENS = 1_024;

/**
 * Efforts of OpenAI's APIs; `ultra`, which Codex has above `max`
 * (https://github.com/diegosouzapw/OmniRoute/issues/9947); and `default`, with which some models at Groq think
 * (https://github.com/earendil-works/pi/issues/1745).
 */
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra', 'default'] as const;
export const reasoningEffort = optionalField(z.enum(efforts));
type RequestedEffort = z.output<typeof reasoningEffort>;

/** Requested length of the thinking summary. The length has no effect. */
export const reasoningSummary = optionalField(z.enum(['auto', 'concise', 'detailed', 'none']));

/** As in Gemini's API, a budget of 0 turns thinking off, and with -1 the model chooses how much it thinks. */
export const budgetTokens = optionalField(z.int().min(-1));
const CHOSEN_BY_MODEL = -1;

export interface RequestedThinking {
  enabled?: boolean | null | undefined;
  effort?: RequestedEffort;
  maxTokens?: z.output<typeof budgetTokens>;
  /** Whether the client requests an answer without the thinking. */
  isHidden: boolean;
}

export type ThinkingFields = Pick<MessagesRequest, 'thinking' | 'output_config'>;

/** Returns the equivalent settings in the Messages API; empty if the client set none. */
export function requestedThinkingFields({ enabled, effort, maxTokens, isHidden }: RequestedThinking): ThinkingFields {
  if (enabled === false || effort === 'none' || maxTokens === 0) return { thinking: { type: 'disabled' } };
  const display = isHidden ? 'omitted' : 'summarized';
  const named =
    effort && effort !== 'default' ? { output_config: { effort: effort === 'ultra' ? 'max' : effort } } : {};
  if (maxTokens && maxTokens !== CHOSEN_BY_MODEL) {
    return { thinking: { type: 'enabled', budget_tokens: Math.max(maxTokens, MIN_BUDGET_TOKENS), display }, ...named };
  }
  if (!effort && !enabled && !maxTokens) return {};
  return { thinking: { type: 'adaptive', display }, ...named };
}
