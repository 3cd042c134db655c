import type { EmbeddingInput } from '../../embeddings/schema.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { EmbeddingTask } from './codec.ts';

/** @throws {GatewayError} 400 for token input, which only models on OpenAI's wire accept */
export function textsOf({ inputs }: EmbeddingTask): string[] {
  return inputs.map((input: EmbeddingInput) => {
    if (typeof input !== 'string') {
      throw invalidRequest('input', 'must be a text or a list of texts, because this model does not accept tokens');
    }
    return input;
  });
}

/** @throws {GatewayError} 400 for an input type, if the model makes the same vectors for every type */
export function refuseInputType({ inputType }: EmbeddingTask): void {
  if (inputType !== undefined) {
    throw invalidRequest(
      'input_type',
      'is not supported by this model, which makes the same vectors for every use; leave it out',
    );
  }
}
