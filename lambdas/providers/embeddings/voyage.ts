/**
 * Voyage's API for texts and images (charged by pixel). https://docs.voyageai.com/reference/multimodal-embeddings-api
 */

import type { ContentPart } from '../../embeddings/schema.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { jsonRequest } from '../json-request.ts';
import type { EmbeddingCodec } from './codec.ts';
import { vectorsInOrder } from './vectors.ts';
import { contentParts, namedUse, voyageUses } from './requests.ts';

const MAX_VOYAGE_INPUTS = 1_000;

export const voyageMultimodal: EmbeddingCodec = {
  maxInputs: MAX_VOYAGE_INPUTS,
  requestFor(task, { upstreamModel }) {
    const { inputType, dimensions } = task;
    return jsonRequest('/multimodalembeddings', {
      model: upstreamModel,
      inputs: contentParts(task).map((parts) => ({ content: parts.map(voyagePart) })),
      // Without this field, Voyage would cut an input that is too long.
      truncation: false,
      output_encoding: 'base64',
      ...namedUse(inputType, voyageUses),
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
