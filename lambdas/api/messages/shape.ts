import * as z from 'zod';
import { countShape, rub } from '../../http/shapes.ts';

/** The document lists the known kinds in its place. */
const contentBlock = z.looseObject({ type: z.string() }).meta({ id: 'ContentBlock' });

/** An answer of the Messages API, which grows faster than this document; the code that builds one has its own type. */
export const messageAnswer = z
  .looseObject({
    id: z.string().meta({ description: 'The id of the generation.' }),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(contentBlock),
    stop_reason: z.string().nullable(),
    stop_sequence: z.string().nullable(),
    usage: z.looseObject({
      input_tokens: countShape,
      output_tokens: countShape,
      cache_creation_input_tokens: countShape.nullable().optional(),
      cache_read_input_tokens: countShape.nullable().optional(),
      cost: rub.optional().meta({ description: 'The price of the request in roubles, exact.' }),
    }),
  })
  .meta({ id: 'Message' });

export const countAnswer = z.strictObject({ input_tokens: countShape, estimated: z.literal(true).optional() });
export type CountAnswer = z.output<typeof countAnswer>;
