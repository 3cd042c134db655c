/** Builds the response object. Strict clients require most members. */

import type { StopReason, WireUsage } from '../../messages/types.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { AnswerFormat } from '../common-fields.ts';
import { answerDetails, costFields, promptDetails, promptTokensOf } from '../usage-details.ts';
import type { OutputItem } from './output-items.ts';

export interface ResponseState {
  generationId: string;
  model: string;
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: readonly OutputItem[];
  usage?: WireUsage | undefined;
  incompleteReason?: string | undefined;
  error?: { code: string; message: string } | undefined;
  /** Time of completion, in epoch seconds. */
  completedAt?: number | undefined;
  metadata?: unknown;
  format?: AnswerFormat | undefined;
}

/**
 * Returns the response object. Of the request's settings, it repeats only the format, because LangChain parses no
 * streamed answer without it. The others are `null`, or the defaults.
 */
export function responseObject(state: ResponseState): object {
  const { generationId, model, status, output, usage, incompleteReason, error } = state;
  return {
    id: generationId,
    object: 'response',
    created_at: Math.floor((generationTimeMs(generationId) ?? 0) / 1_000),
    completed_at: state.completedAt ?? null,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    output_text: textOf(output),
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: servedTier(usage),
    store: false,
    temperature: null,
    text: { format: state.format ?? { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    frequency_penalty: null,
    presence_penalty: null,
    truncation: 'disabled',
    user: null,
    metadata: {},
    ...(usage ? { usage: responsesUsage(usage) } : {}),
    ...(state.metadata === undefined ? {} : { gateway: state.metadata }),
  };
}

/**
 * Returns the service tier. The standard tier is "standard" in the Messages API, and "default" in the Responses API.
 */
function servedTier(usage: WireUsage | undefined): string {
  const tier = usage?.['service_tier'];
  return typeof tier === 'string' && tier !== 'standard' ? tier : 'default';
}

function textOf(output: readonly OutputItem[]): string {
  const parts = output.flatMap(({ content }) => (content ?? []) as { type: string; text: string }[]);
  return parts.flatMap(({ type, text }) => (type === 'output_text' ? [text] : [])).join('');
}

/** Returns the usage of an answer. The input tokens include cached tokens, and the output tokens include thinking. */
function responsesUsage(usage: WireUsage): object {
  const input = promptTokensOf(usage);
  const output = usage.output_tokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: promptDetails(usage),
    output_tokens: output,
    output_tokens_details: answerDetails(usage),
    total_tokens: input + output,
    ...costFields(usage),
  };
}

/** Returns the reason why an answer is incomplete; undefined if it is complete. */
export function incompleteReason(reason: StopReason | null): string | undefined {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'max_output_tokens' : undefined;
}

/** Text of a refusal for which the model wrote no text. If the answer had no message, some agents would retry. */
export const REFUSED = 'The model has refused to answer.';
