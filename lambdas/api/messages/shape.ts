import * as z from 'zod';
import { countShape, earlyEndShape, rub } from '../../http/shapes.ts';
import { answeringModel, generationId } from '../parts/shape.ts';

/** Any content block. The API document lists the known block types instead. */
const contentBlock = z.looseObject({ type: z.string() }).meta({ id: 'ContentBlock' });

/**
 * Message in the API document. It allows other fields, because Anthropic adds fields faster than this document is
 * updated.
 */
export const messageAnswer = z
  .looseObject({
    id: generationId,
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: answeringModel,
    content: z
      .array(contentBlock)
      .meta({ description: 'The answer: blocks of text, of thinking, and of calls of tools.' }),
    stop_reason: z.string().nullable().meta({
      description:
        'Why the answer ends: `end_turn`, `tool_use`, `max_tokens`, `stop_sequence`, `pause_turn` or `refusal`. It is also `max_tokens` if the gateway ended the answer; `metadata` then has the reason.',
    }),
    stop_sequence: z
      .string()
      .nullable()
      .meta({ description: 'The stop sequence at which the answer ended, if the provider reports it.' }),
    usage: z
      .looseObject({
        input_tokens: countShape.meta({
          description: 'Tokens of the prompt, without those read from or written to a cache.',
        }),
        output_tokens: countShape.meta({ description: 'Tokens of the answer, thinking included.' }),
        cache_creation_input_tokens: countShape
          .nullable()
          .optional()
          .meta({ description: 'Tokens of the prompt that were written to a cache for later requests.' }),
        cache_read_input_tokens: countShape
          .nullable()
          .optional()
          .meta({ description: 'Tokens of the prompt that were read from a cache.' }),
        cost: rub.optional().meta({ description: 'The price of the request in roubles, exact.' }),
      })
      .meta({ description: 'The tokens of the request, and their cost.' }),
    metadata: earlyEndShape,
  })
  .meta({ id: 'Message' });

export const countAnswer = z.strictObject({
  input_tokens: countShape.meta({ description: 'The number of tokens of the prompt.' }),
  estimated: z.literal(true).optional(),
});
export type CountAnswer = z.output<typeof countAnswer>;
