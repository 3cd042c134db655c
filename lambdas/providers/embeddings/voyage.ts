/**
 * Voyage's API for inputs with texts and images. Images are charged by pixel.
 * https://docs.voyageai.com/reference/multimodal-embeddings-api
 */

import type { ContentPart, InputType } from '../../embeddings/schema.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec } from './codec.ts';
import { vectorsInOrder } from './vectors.ts';
import { contentParts } from './requests.ts';

const MAX_VOYAGE_INPUTS = 1_000;

const voyageInputTypes: Partial<Record<InputType, string>> = { search_query: 'query', search_document: 'document' };

export const voyageMultimodal: EmbeddingCodec = {
  maxInputs: MAX_VOYAGE_INPUTS,
  requestFor(task, { upstreamModel }) {
    const { inputType, dimensions } = task;
    const type = inputType && voyageInputTypes[inputType];
    if (inputType && !type) {
      throw invalidRequest('input_type', `must be one of ${Object.keys(voyageInputTypes).join(', ')} for this model`);
    }
    return jsonRequest('/multimodalembeddings', {
      model: upstreamModel,
      inputs: contentParts(task).map((parts) => ({ content: parts.map(voyagePart) })),
      // Without this field, Voyage would cut an input that is too long.
      truncation: false,
      output_encoding: 'base64',
      ...(type ? { input_type: type } : {}),
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    });
  },
  vectorsIn: (body) => vectorsInOrder(recordOrEmpty(body)['data']),
  readUsage(body) {
    const { text_tokens: tokens, image_pixels: pixels } = recordOrEmpty(recordOrEmpty(body)['usage']);
    if (typeof tokens !== 'number' && typeof pixels !== 'number') return undefined;
    return {
      input_tokens: typeof tokens === 'number' ? tokens : 0,
      output_tokens: 0,
      ...(typeof pixels === 'number' && pixels > 0 ? { image_pixels: pixels } : {}),
    };
  },
};

function voyagePart(part: ContentPart): object {
  return part.type === 'text' ? part : { type: 'image_base64', image_base64: part.image_url.url };
}
