import { isContent, type ContentPart, type EmbeddingInput, type InputType } from '../../embeddings/schema.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { EmbeddingTask } from './codec.ts';

const BYTES_PER_TOKEN = 4;

/**
 * Returns the inputs if all are texts.
 * @throws {GatewayError} 400 for other inputs, such as tokens, which only some models on OpenAI's wire accept
 */
export function textsOf({ inputs }: Pick<EmbeddingTask, 'inputs'>): string[] {
  return inputs.map((input: EmbeddingInput) => {
    if (typeof input !== 'string') {
      throw invalidRequest('input', 'must be a text or a list of texts, because this model does not accept tokens');
    }
    return input;
  });
}

/**
 * Returns the parts of each input; a text is one part.
 * @throws {GatewayError} 400 for tokens
 */
export function contentParts({ inputs }: Pick<EmbeddingTask, 'inputs'>): ContentPart[][] {
  return inputs.map((input) =>
    isContent(input) ? input.content : textsOf({ inputs: [input] }).map((text) => ({ type: 'text', text })),
  );
}

/** Returns the bytes of the texts of an input. A token counts as four bytes. */
export function textBytes(input: EmbeddingInput): number {
  if (typeof input === 'string') return Buffer.byteLength(input);
  if (!isContent(input)) return input.length * BYTES_PER_TOKEN;
  return input.content.reduce((bytes, part) => bytes + (part.type === 'text' ? Buffer.byteLength(part.text) : 0), 0);
}

/**
 * Refuses an input type, because the model makes the same vectors for every type.
 * @throws {GatewayError} 400 for an input type
 */
export function refuseInputType({ inputType }: EmbeddingTask): void {
  if (inputType !== undefined) {
    throw invalidRequest(
      'input_type',
      'is not supported by this model, which makes the same vectors for every use; leave it out',
    );
  }
}

/** Provider's names for the uses of vectors. */
export type NamedUses = Partial<Record<InputType, string>>;
export const voyageUses: NamedUses = { search_query: 'query', search_document: 'document' };

/**
 * Returns the field for the use of the vectors, under the provider's name.
 * @throws {GatewayError} 400 for a use that the provider does not have
 */
export function namedUse(inputType: InputType | undefined, uses: NamedUses): { input_type?: string } {
  if (inputType === undefined) return {};
  const use = uses[inputType];
  if (use !== undefined) return { input_type: use };
  throw invalidRequest('input_type', `must be one of ${Object.keys(uses).join(', ')} for this model`);
}
