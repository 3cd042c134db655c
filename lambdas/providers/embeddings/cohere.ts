import { isContent, type InputType } from '../../embeddings/schema.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { Vector } from '../../embeddings/vector.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec, EmbeddingTask } from './codec.ts';
import { contentParts, textsOf } from './requests.ts';
import { vectorsFrom } from './vectors.ts';

/** Maximum number of texts in a request, both at Cohere and on Bedrock. */
export const MAX_COHERE_INPUTS = 96;

const uses: readonly InputType[] = ['search_query', 'search_document', 'classification', 'clustering'];

export const cohereEmbeddings: EmbeddingCodec = {
  maxInputs: MAX_COHERE_INPUTS,
  billsImageTokens: true,
  requestFor: (task, { upstreamModel }) => jsonRequest('/embed', { model: upstreamModel, ...cohereFields(task) }),
  vectorsIn: cohereVectors,
  readUsage(body) {
    const { billed_units } = recordOrEmpty(recordOrEmpty(body)['meta']);
    const { input_tokens: tokens, image_tokens: images } = recordOrEmpty(billed_units);
    if (typeof images === 'number') {
      return { input_tokens: typeof tokens === 'number' ? tokens : 0, image_input_tokens: images, output_tokens: 0 };
    }
    return typeof tokens === 'number' ? { input_tokens: tokens, output_tokens: 0 } : undefined;
  },
};

/**
 * Returns the fields for Cohere's models, at Cohere and on Bedrock. With `truncate: 'NONE'`, Cohere rejects a long text
 * instead of silently cutting it.
 * @throws {GatewayError} 400 for inputs or an input type that Cohere does not accept
 */
export function cohereFields(task: EmbeddingTask): Record<string, unknown> {
  const { inputType = 'search_document', dimensions } = task;
  if (!uses.includes(inputType)) throw invalidRequest('input_type', `must be one of ${uses.join(', ')} for this model`);
  return {
    ...(task.inputs.some(isContent)
      ? { inputs: contentParts(task).map((content) => ({ content })) }
      : { texts: textsOf(task) }),
    input_type: inputType,
    embedding_types: ['float'],
    truncate: 'NONE',
    ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
  };
}

export function cohereVectors(body: unknown): Vector[] {
  return vectorsFrom(recordOrEmpty(recordOrEmpty(body)['embeddings'])['float'], (element) => element);
}
