/** Embeddings with the Gemini API. A batch is a list of requests with one input each. */

import type { ContentPart, InputType } from '../../embeddings/schema.ts';
import { countOrAbsent } from '../../messages/usage-counts.ts';
import { listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
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

/** Texts that state the use of the vectors: https://ai.google.dev/gemini-api/docs/embeddings#task-types-embeddings-2 */
const taskPrefixes: Record<InputType, string> = {
  search_query: 'task: search result | query: ',
  search_document: 'title: none | text: ',
  classification: 'task: classification | query: ',
  clustering: 'task: clustering | query: ',
  semantic_similarity: 'task: sentence similarity | query: ',
};

export const googleEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_GEMINI_INPUTS,
  billsImageTokens: true,
  requestFor(task, { upstreamModel, quirks }) {
    const { inputType: use, dimensions } = task;
    const prefix = use === undefined || !quirks.use_as_text ? '' : taskPrefixes[use];
    const settings = {
      model: `models/${upstreamModel}`,
      ...(use === undefined || prefix !== '' ? {} : { taskType: taskTypes[use] }),
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    };
    const requests = contentParts(task).map((parts) => {
      const first = parts.findIndex(({ type }) => type === 'text');
      const embedded = parts.map((part, index) => embeddedPart(part, index === first ? prefix : ''));
      return { ...settings, content: { parts: embedded } };
    });
    return jsonRequest(`/models/${upstreamModel}:batchEmbedContents`, { requests });
  },
  vectorsIn: (body) => vectorsFrom(recordOrEmpty(body)['embeddings'], (element) => recordOrEmpty(element)['values']),
  readUsage(body) {
    const { promptTokenCount, promptTokenDetails } = recordOrEmpty(recordOrEmpty(body)['usageMetadata']);
    if (typeof promptTokenCount !== 'number') return undefined;
    const [stated, text] = ['IMAGE', 'TEXT'].map((modality) => tokensOf(modality, promptTokenDetails));
    const rest = text === undefined ? 0 : Math.max(0, promptTokenCount - text);
    const images = Math.min(stated ?? rest, promptTokenCount);
    const tokens = { input_tokens: promptTokenCount - images, output_tokens: 0 };
    return images > 0 ? { ...tokens, image_input_tokens: images } : tokens;
  },
};

function embeddedPart(part: ContentPart, prefix: string): object {
  if (part.type === 'text') return { text: prefix + part.text };
  const { mediaType, base64 } = pictureOfUrl(part.image_url.url);
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

/** Returns the sum of a modality in a list of token counts (`EmbeddingUsageMetadata`); undefined if it is not listed. */
function tokensOf(wanted: string, details: unknown): number | undefined {
  const counts = listOrEmpty(details)
    .map(recordOrEmpty)
    .filter(({ modality }) => modality === wanted);
  if (counts.length === 0) return undefined;
  return counts.reduce((sum, { tokenCount }) => sum + (countOrAbsent(tokenCount) ?? 0), 0);
}
