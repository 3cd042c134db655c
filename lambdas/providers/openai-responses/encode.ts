/**
 * Converts requests to the Responses API, by the rules of docs/wires/responses.md. Each request has the complete
 * conversation and `store: false`.
 */

import { penalties, type TuningParameter } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { withoutUndefined } from '../../platform/json/records.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { outputLimit } from '../translated/output-limit.ts';
import { rareFields, refuseUnsupportedSampling, samplingFields } from '../translated/sampling.ts';
import { withSupportedFields } from '../translated/supported-fields.ts';
import { refuseUnsupportedChoice, withSupportedChoice } from '../translated/tool-choice.ts';
import { withSentNames } from '../translated/tool-names.ts';
import { APART, systemBlocks, systemText } from '../translated/turns.ts';
import { digest, userDigest } from '../translated/user-digest.ts';
import { endsCache } from './cache-breakpoints.ts';
import { inputItems, systemItem } from './input.ts';
import type { ResponsesItem } from './item.ts';
import { mayReason, reasoningFields } from './reasoning.ts';
import type { ResponsesTarget } from './target.ts';
import { isInJsonMode, responsesFormatField, responsesToolFields } from './tools.ts';

/**
 * Sampling parameters that the API cannot express. If the model lists one of them, another endpoint may accept it, so
 * the request is refused.
 */
const unsupportedSampling = ['top_k', ...penalties];

/** @param session the client's name for the conversation */
export function encodeResponsesRequest(
  requested: MessagesRequest,
  target: ResponsesTarget,
  session?: string,
): Record<string, unknown> {
  refuseUnsupportedChoice(requested, target.quirks.tool_choices);
  const request = withSupportedChoice(withSupportedFields(requested), target.quirks.tool_choices);
  if (request.stop_sequences?.length) {
    throw invalidRequest('stop_sequences', 'this model does not support stop sequences; leave them out');
  }
  const named = withSentNames(request, 'any');
  const input = inputItems(named, target);
  if (input.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  const limit = outputLimit(request, target);
  return {
    model: target.upstreamModel,
    ...inputFields(request, input, target),
    stream: true,
    store: false,
    // Unless truncation is disabled, some servers silently drop the beginning of a conversation that is too long.
    truncation: 'disabled',
    ...(target.quirks.service_tier ? { service_tier: target.quirks.service_tier } : {}),
    ...(limit === undefined ? {} : { max_output_tokens: limit }),
    ...responsesSamplingFields(request, target),
    ...userFields(request, target, session),
    ...responsesToolFields(named, target),
    ...reasoningFields(request, target),
    ...includeField(request, target),
    ...textFields(request, target),
    ...topLogprobsField(request),
  };
}

/**
 * Returns the system prompt and the input. The system prompt is part of the input in JSON mode, because OpenAI rejects a
 * request whose input does not mention JSON, even if the instructions do (https://github.com/BigDawnGhost/wenyi/pull/66).
 * A system prompt with cache marks is also part of the input, because the instructions cannot have any.
 */
function inputFields(
  request: MessagesRequest,
  input: ResponsesItem[],
  target: ResponsesTarget,
): Record<string, unknown> {
  const system = systemBlocks(request);
  if (system.length === 0) return { input };
  const isInInput = isInJsonMode(request, target) || system.some(({ block }) => endsCache(block, target));
  return isInInput
    ? { input: [systemItem(system, APART, target), ...input] }
    : { instructions: systemText(request), input };
}

/**
 * Returns temperature and top_p if the model lists them and accepts them in this request.
 * @throws {GatewayError} 400 for a parameter in `unsupportedSampling` that the model lists
 */
function responsesSamplingFields(request: MessagesRequest, target: ResponsesTarget): Record<string, unknown> {
  refuseUnsupportedSampling(request, target, unsupportedSampling);
  if (fixesSampling(request, target)) return {};
  const { temperature, top_p: topP } = samplingFields(request, target);
  return withoutUndefined({ temperature, top_p: topP });
}

/** Returns whether the endpoint rejects sampling parameters in this request, because its model may think. */
function fixesSampling(request: MessagesRequest, target: ResponsesTarget): boolean {
  return target.quirks.thinking_fixes_sampling === true && mayReason(request, target);
}

/** Returns the sampling parameters that the model supports in general, but does not accept in this request. */
export function unsupportedResponsesTunings(request: MessagesRequest, target: ResponsesTarget): TuningParameter[] {
  const names = ['temperature', 'top_p'] as const;
  return fixesSampling(request, target) ? names.filter((name) => request[name] !== undefined) : [];
}

function textFields(request: MessagesRequest, target: ResponsesTarget): Record<string, unknown> {
  const { verbosity } = rareFields(request, target);
  const text = { ...responsesFormatField(request, target), ...withoutUndefined({ verbosity }) };
  return Object.keys(text).length > 0 ? { text } : {};
}

/**
 * Returns the field with the names of additional output. Encrypted reasoning is requested, because answers in
 * conversations with tools improve if clients send it back.
 */
function includeField(
  { logprobs }: MessagesRequest,
  { supportedParameters }: ResponsesTarget,
): Record<string, unknown> {
  const include = [
    ...(supportedParameters.includes('reasoning') ? ['reasoning.encrypted_content'] : []),
    ...(logprobs === true ? ['message.output_text.logprobs'] : []),
  ];
  return include.length > 0 ? { include } : {};
}

function topLogprobsField({ logprobs, top_logprobs: most }: MessagesRequest): Record<string, unknown> {
  return logprobs === true && most ? { top_logprobs: most } : {};
}

function userFields(
  request: MessagesRequest,
  { quirks }: ResponsesTarget,
  session: string | undefined,
): Record<string, unknown> {
  const user = userDigest(request);
  const cacheKey = session ? digest(session) : user;
  return {
    ...(quirks.safety_identifier && user ? { safety_identifier: user } : {}),
    ...(quirks.prompt_cache_key && cacheKey ? { prompt_cache_key: cacheKey } : {}),
  };
}
