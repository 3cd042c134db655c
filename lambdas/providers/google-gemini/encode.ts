/** Converts requests to the Gemini API, by the rules of docs/wires/gemini.md. */

import { invalidRequest } from '../../platform/errors.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { withLeadingInstructions } from '../../messages/system-messages.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { answerSchema, usesJsonMode, withFormatOrForcedCall, withFormatOrTools } from '../translated/answer-format.ts';
import { outputLimit } from '../translated/output-limit.ts';
import {
  penaltyFields,
  rareFields,
  refuseUnsupportedSampling,
  samplingFields,
  stopSequences,
} from '../translated/sampling.ts';
import { withSupportedFields } from '../translated/supported-fields.ts';
import { withSentNames } from '../translated/tool-names.ts';
import { placeBlocks, blockText } from '../translated/turns.ts';
import type { GeminiPart, GeminiPrompt } from './parts.ts';
import { contentsOf } from './contents.ts';
import { geminiSchema } from './gemini-schema.ts';
import { storeField } from './store-field.ts';
import type { GeminiTarget } from './target.ts';
import { thinkingConfig } from './thinking.ts';
import { geminiToolFields } from './tools.ts';
import { withoutUndefined } from '../../platform/json/records.ts';

/** Gemini's maximum number of stop sequences. Source: https://ai.google.dev/api/generate-content#generationconfig */
const MAX_GEMINI_STOP_SEQUENCES = 5;

export function encodeGeminiRequest(requested: MessagesRequest, target: GeminiTarget): GeminiPrompt {
  const supported = withSupportedFields(requested);
  const request = target.quirks.format_excludes_tools
    ? withFormatOrTools(supported)
    : withFormatOrForcedCall(supported);
  const config = generationConfig(request, target);
  return {
    ...promptFields(request, target),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
    ...storeField(target.quirks),
  };
}

/**
 * Returns the fields that form the model's prompt: the conversation, the system texts and the tools.
 * @throws {GatewayError} 400 for a prompt that is empty, or that Gemini's API cannot express
 */
export function promptFields(requested: MessagesRequest, target: GeminiTarget): GeminiPrompt {
  const request = withLeadingInstructions(withSupportedFields(requested));
  const named = withSentNames(request, 'letterFirst');
  const contents = contentsOf(named, target);
  if (contents.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  return { contents, ...systemInstruction(request), ...geminiToolFields(named) };
}

function systemInstruction({ system }: MessagesRequest): { systemInstruction?: { parts: GeminiPart[] } } {
  const texts = placeBlocks(system ?? '', 'system').map(blockText);
  const parts = texts.filter((text) => !isBlank(text)).map((text) => ({ text }));
  return parts.length > 0 ? { systemInstruction: { parts } } : {};
}

function generationConfig(request: MessagesRequest, target: GeminiTarget): Record<string, unknown> {
  const { temperature, top_p: topP, top_k: topK } = samplingFields(request, target);
  return withoutUndefined({
    // This limit includes thinking, like max_tokens in the Messages API.
    maxOutputTokens: outputLimit(request, target),
    stopSequences: fewStopSequences(request, target),
    temperature,
    topP,
    // Clients turn top_k off with 0, which Gemini does not have.
    topK: topK === 0 ? undefined : topK,
    ...geminiPenalties(request, target),
    seed: rareFields(request, target).seed,
    ...geminiLogprobs(request),
    ...geminiFormatFields(request, target),
    ...geminiMediaFields(request, target),
    thinkingConfig: thinkingConfig(request, target),
  });
}

function fewStopSequences(request: MessagesRequest, target: GeminiTarget): string[] | undefined {
  const sequences = stopSequences(request, target);
  if (!sequences || sequences.length <= MAX_GEMINI_STOP_SEQUENCES) return sequences;
  throw invalidRequest('stop_sequences', `this model accepts at most ${MAX_GEMINI_STOP_SEQUENCES}; send fewer`);
}

function geminiPenalties(request: MessagesRequest, target: GeminiTarget): Record<string, unknown> {
  refuseUnsupportedSampling(request, target, ['repetition_penalty']);
  const { frequency_penalty: frequencyPenalty, presence_penalty: presencePenalty } = penaltyFields(request, target);
  return { frequencyPenalty, presencePenalty };
}

function geminiLogprobs({ logprobs, top_logprobs: most }: MessagesRequest): Record<string, unknown> {
  return logprobs === true ? { responseLogprobs: true, ...(most ? { logprobs: most } : {}) } : {};
}

/**
 * Returns the fields for media: https://ai.google.dev/gemini-api/docs/image-generation.
 * @throws {GatewayError} 400 for an image size or for tools that the model does not support
 */
function geminiMediaFields(
  { modalities, image_config: image, tools }: MessagesRequest,
  { quirks, supportedParameters }: GeminiTarget,
): Record<string, unknown> {
  if (!modalities) return {};
  if (tools?.length && !supportedParameters.includes('tools'))
    throw invalidRequest('tools', 'this model does not call tools; leave them out');
  const { aspect_ratio: aspectRatio, image_size: imageSize } = image ?? {};
  const { image_sizes: sizes = [] } = quirks;
  if (imageSize && !sizes.some((size) => size === imageSize)) {
    const rule =
      sizes.length > 0
        ? `must be one of ${sizes.join(', ')} on this model`
        : 'has no effect on this model; leave it out';
    throw invalidRequest('image_config.image_size', rule);
  }
  return {
    responseModalities: modalities.map((modality) => modality.toUpperCase()),
    ...(aspectRatio || imageSize
      ? { imageConfig: { ...(aspectRatio ? { aspectRatio } : {}), ...(imageSize ? { imageSize } : {}) } }
      : {}),
  };
}

function geminiFormatFields(request: MessagesRequest, { supportedParameters }: GeminiTarget): Record<string, unknown> {
  if (usesJsonMode(request, supportedParameters)) return { responseMimeType: 'application/json' };
  const schema = answerSchema(request, supportedParameters);
  return schema ? { responseMimeType: 'application/json', responseJsonSchema: geminiSchema(schema) } : {};
}
