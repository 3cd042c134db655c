import * as z from 'zod';
import { countShape } from '../../http/shapes.ts';
import { answeringModel, answeringProvider, generationId, lateCostShape } from '../parts/shape.ts';

export const embeddingsAnswer = z
  .strictObject({
    id: generationId,
    object: z.literal('list'),
    model: answeringModel,
    provider: answeringProvider,
    data: z
      .array(
        z.strictObject({
          object: z.literal('embedding'),
          index: countShape.meta({ description: 'The place of the input that the vector is made of.' }),
          embedding: z.union([z.array(z.number()), z.string()]).meta({
            description:
              'The vector: numbers, or base64 of 32-bit floats with the least significant byte first, as `encoding_format` requests.',
          }),
        }),
      )
      .meta({ description: 'A vector for each input, in the order of the inputs.' }),
    usage: z
      .strictObject({
        prompt_tokens: countShape.meta({ description: 'The number of tokens of all inputs together.' }),
        total_tokens: countShape.meta({ description: 'The same number: embeddings have no output tokens.' }),
        prompt_tokens_details: z
          .strictObject({
            text_tokens: countShape.meta({ description: 'The tokens of the texts alone.' }),
            image_tokens: countShape.meta({ description: 'The tokens of the images.' }),
          })
          .optional()
          .meta({ description: 'The kinds of tokens, if the provider bills tokens of images.' }),
        image_pixels: countShape
          .optional()
          .meta({ description: 'The pixels of the images, if the provider bills pixels.' }),
        cost: lateCostShape,
      })
      .meta({ description: 'The tokens of all inputs, and their cost.' }),
  })
  .meta({ id: 'Embeddings' });
export type EmbeddingsAnswer = z.output<typeof embeddingsAnswer>;
