/** Embeddings with the Gemini API. A batch is a list of requests with one input each. */

import type { ContentPart, InputType } from '../../embeddings/schema.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec } from './codec.ts';
import { pictureOfUrl } from '../data-url.ts';
import { contentParts } from './requests.ts';
import { vectorsFrom } from './vectors.ts';

/** Maximum number of texts that batchEmbedContents accepts in one call. */
const MAX_GEMINI_INPUTS = 100;

const taskTypes: Record<InputType, string> = {
  search_query: 'RETRIEVAL_QUERY',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  semantic_similarity: 'SEMANTIC_SIMILARITY',
};

export const googleEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_GEMINI_INPUTS,
  billsImageTokens: true,
  requestFor(task, { upstreamModel }) {
    const settings = {
      model: `models/${upstreamModel}`,
      ...(task.inputType === undefined ? {} : { taskType: taskTypes[task.inputType] }),
      ...(task.dimensions === undefined ? {} : { outputDimensionality: task.dimensions }),
    };
    const requests = contentParts(task).map((parts) => ({ ...settings, content: { parts: parts.map(embeddedPart) } }));
    return jsonRequest(`/models/${upstreamModel}:batchEmbedContents`, { requests });
  },
  vectorsIn: (body) => vectorsFrom(recordOrEmpty(body)['embeddings'], (element) => recordOrEmpty(element)['values']),
  readUsage(body) {
    const { promptTokenCount, promptTokenDetails } = recordOrEmpty(recordOrEmpty(body)['usageMetadata']);
    if (typeof promptTokenCount !== 'number') return undefined;
    const images = Math.min(imageTokensOf(promptTokenDetails), promptTokenCount);
    const tokens = { input_tokens: promptTokenCount - images, output_tokens: 0 };
    return images > 0 ? { ...tokens, image_input_tokens: images } : tokens;
  },
};

function embeddedPart(part: ContentPart): object {
  if (part.type === 'text') return { text: part.text };
  const { mediaType, base64 } = pictureOfUrl(part.image_url.url);
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

/** Returns the sum of the image tokens in a list of token counts by modality (`EmbeddingUsageMetadata`). */
function imageTokensOf(details: unknown): number {
  const counts = Array.isArray(details) ? details.map(recordOrEmpty) : [];
  return counts.reduce(
    (sum, { modality, tokenCount }) =>
      modality === 'IMAGE' && typeof tokenCount === 'number' ? sum + tokenCount : sum,
    0,
  );
}
