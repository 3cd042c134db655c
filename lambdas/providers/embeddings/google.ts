/** Embeddings with the Gemini API. A batch is a list of requests with one text each. */

import type { InputType } from '../../embeddings/schema.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec } from './codec.ts';
import { textsOf } from './requests.ts';
import { vectorsFrom } from './vectors.ts';

/** Maximum number of texts that batchEmbedContents accepts in one call. */
const MAX_INPUTS = 100;

const taskTypes: Record<InputType, string> = {
  search_query: 'RETRIEVAL_QUERY',
  search_document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  semantic_similarity: 'SEMANTIC_SIMILARITY',
};

export const googleEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_INPUTS,
  requestFor(task, { upstreamModel }) {
    const settings = {
      model: `models/${upstreamModel}`,
      ...(task.inputType === undefined ? {} : { taskType: taskTypes[task.inputType] }),
      ...(task.dimensions === undefined ? {} : { outputDimensionality: task.dimensions }),
    };
    const requests = textsOf(task).map((text) => ({ ...settings, content: { parts: [{ text }] } }));
    return jsonRequest(`/models/${upstreamModel}:batchEmbedContents`, { requests });
  },
  vectorsIn: (body) => vectorsFrom(recordOrEmpty(body)['embeddings'], (element) => recordOrEmpty(element)['values']),
  readUsage(body) {
    const { promptTokenCount } = recordOrEmpty(recordOrEmpty(body)['usageMetadata']);
    return typeof promptTokenCount === 'number' ? { input_tokens: promptTokenCount, output_tokens: 0 } : undefined;
  },
};
