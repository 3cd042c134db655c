import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import { cohereFields, cohereVectors, MAX_COHERE_INPUTS } from './cohere.ts';
import type { EmbeddingCodec, EmbeddingTask } from './codec.ts';
import { pictureOfUrl } from '../data-url.ts';
import { contentParts, refuseInputType, textsOf } from './requests.ts';
import { vectorsFrom } from './vectors.ts';

/** Response header in which Bedrock returns the token count of an embeddings request. */
const TOKENS_HEADER = 'x-amzn-bedrock-input-token-count';

const readUsage: EmbeddingCodec['readUsage'] = (body, headers) => {
  const reported = recordOrEmpty(body)['inputTextTokenCount'] ?? Number(headers[TOKENS_HEADER] ?? NaN);
  return Number.isFinite(reported) ? { input_tokens: reported as number, output_tokens: 0 } : undefined;
};
const invokePath = (model: string) => `/model/${encodeURIComponent(model)}/invoke`;

export const bedrockTitanEmbeddings: EmbeddingCodec = {
  maxInputs: 1,
  requestFor: (task, { upstreamModel, quirks }) =>
    jsonRequest(invokePath(upstreamModel), quirks.takes_images ? multimodalTitanFields(task) : titanFields(task)),
  vectorsIn: (body) => vectorsFrom([recordOrEmpty(body)['embedding']], (element) => element),
  readUsage,
};

export const bedrockCohereEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_COHERE_INPUTS,
  requestFor: (task, { upstreamModel }) => jsonRequest(invokePath(upstreamModel), cohereFields(task)),
  vectorsIn: cohereVectors,
  readUsage,
};

function titanFields(task: EmbeddingTask): Record<string, unknown> {
  refuseInputType(task);
  const [inputText] = textsOf(task);
  return { inputText, ...(task.dimensions === undefined ? {} : { dimensions: task.dimensions }) };
}

/**
 * Returns the fields for Titan Multimodal Embeddings, which makes one vector for a text, an image, or both.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-mm.html
 * @throws {GatewayError} 400 for tokens or an input type, or for several texts or images in one input
 */
function multimodalTitanFields(task: EmbeddingTask): Record<string, unknown> {
  refuseInputType(task);
  const [parts = []] = contentParts(task);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = parts.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
  if (texts.length > 1 || images.length > 1) {
    throw invalidRequest('input', 'must have at most one text and one image in each "content" for this model');
  }
  return {
    ...(texts.length === 1 ? { inputText: texts[0] } : {}),
    ...(images.length === 1 ? { inputImage: pictureOfUrl(images[0]!).base64 } : {}),
    ...(task.dimensions === undefined ? {} : { embeddingConfig: { outputEmbeddingLength: task.dimensions } }),
  };
}
