/** Embeddings on Amazon Bedrock with InvokeModel. Titan accepts one text per request, Cohere up to 96. */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import { cohereFields, cohereVectors, MAX_COHERE_INPUTS } from './cohere.ts';
import type { EmbeddingCodec, EmbeddingTask } from './codec.ts';
import { refuseInputType, textsOf } from './requests.ts';
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
  requestFor: (task, { upstreamModel }) => jsonRequest(invokePath(upstreamModel), titanFields(task)),
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
