import { promptTokens } from '../../accounting/usage.ts';
import type { VectorEncoding } from '../../embeddings/schema.ts';
import { encodedVector, type Vector } from '../../embeddings/vector.ts';
import { listResponse } from '../../http/list-response.ts';
import { embeddingsModality } from '../../inference/modalities/embeddings.ts';
import { modalityEndpoint } from '../parts/modality-endpoint.ts';
import type { EmbeddingsAnswer } from './shape.ts';

export const { accepts, handler } = modalityEndpoint(
  'create-embeddings',
  embeddingsModality,
  ({ body, origin: { id, model, provider }, result, charged, cost }) => {
    const tokens = promptTokens(charged.usage);
    const { imageInputTokens: images, imagePixels } = charged.usage;
    const details =
      images === undefined ? {} : { prompt_tokens_details: { text_tokens: tokens - images, image_tokens: images } };
    // Voyage's own answers count pixels under this name.
    const pixels = imagePixels === undefined ? {} : { image_pixels: imagePixels };
    const usage = { prompt_tokens: tokens, total_tokens: tokens, ...details, ...pixels, ...cost };
    const answer: Omit<EmbeddingsAnswer, 'data'> = { id, object: 'list', model, provider, usage };
    return listResponse(answer, { name: 'data', elements: embeddingsOf(result, body.encoding_format ?? 'float') });
  },
);

function* embeddingsOf(
  vectors: readonly Vector[],
  encoding: VectorEncoding,
): Generator<EmbeddingsAnswer['data'][number], void> {
  for (const [index, vector] of vectors.entries()) {
    yield { object: 'embedding', index, embedding: encodedVector(vector, encoding) as number[] | string };
  }
}
