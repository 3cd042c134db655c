/** Schemas of the quirks of the wires for embeddings. */

import * as z from 'zod';
import { common } from './common-quirks.ts';

export const embeddingsQuirks = z.strictObject({
  ...common,
  /** Maximum number of texts per request, if it differs from the maximum of the wire's own service. */
  max_inputs: z.int().positive().optional(),
  /** Maximum bytes of text per request to the provider, and so of tokens, because a token has at least one byte. */
  max_request_bytes: z.int().positive().optional(),
  /** Length of vectors if a request does not set it. It bounds how many texts one request to the provider may have. */
  vector_dimensions: z.int().positive().optional(),
  /** Whether the model embeds images, alone or with texts. `max_image_tokens` bounds the tokens of each. */
  takes_images: z.boolean().optional(),
});
export const openaiEmbeddingsQuirks = embeddingsQuirks.extend({
  /** Name of the field for the length of the vectors. */
  dimensions_field: z.enum(['dimensions', 'output_dimension']).optional(),
  /** Whether the model accepts lists of tokens instead of texts. */
  takes_tokens: z.boolean().optional(),
  /** Whether the provider can return vectors in base64, which takes about a quarter of the size of JSON numbers. */
  base64: z.boolean().optional(),
  /**
   * Variant of the API for `input_type` and for texts that are too long. Absent: OpenAI's own variant, without
   * `input_type`.
   */
  embeddings_form: z.enum(['voyage', 'nim']).optional(),
});
export const googleEmbeddingsQuirks = embeddingsQuirks.extend({
  /** Whether the use of the vectors is stated before each text, because the model ignores `taskType`. */
  use_as_text: z.boolean().optional(),
});
export type EmbeddingsQuirks = z.infer<typeof openaiEmbeddingsQuirks> & z.infer<typeof googleEmbeddingsQuirks>;
