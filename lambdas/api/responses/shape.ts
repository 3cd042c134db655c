import * as z from 'zod';
import { countShape, earlyEndShape, rub } from '../../http/shapes.ts';
import { answeringModel, generationId, recordingTokens, searchesShape, writtenLifetimes } from '../parts/shape.ts';

/** Response object in the API document. */
export const responseAnswer = z
  .looseObject({
    id: generationId,
    object: z.literal('response'),
    created_at: countShape.meta({ description: 'The time of the request, as a Unix time in seconds.' }),
    completed_at: countShape
      .nullable()
      .meta({ description: 'The time at which the answer ended, as a Unix time in seconds.' }),
    status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']).meta({
      description:
        'The state of the answer: `completed` if it is whole, `incomplete` if a limit has ended it, `failed` after an error, and `in_progress` in the first events of a stream.',
    }),
    error: z.looseObject({}).nullable().meta({ description: 'The failure of a stream; null if there was none.' }),
    incomplete_details: z
      .looseObject({
        reason: z.string().meta({
          description:
            'The reason, which is always `max_output_tokens`. If the gateway ended the answer, `gateway` has its reason.',
        }),
      })
      .nullable()
      .meta({ description: 'The reason why the answer is not whole; null if it is.' }),
    model: answeringModel,
    output: z
      .array(
        z.looseObject({
          type: z.string().meta({ description: 'The type of the item, which says what other fields it has.' }),
        }),
      )
      .meta({
        description:
          'The answer as items: `message`, `reasoning`, `function_call`, `custom_tool_call` and `web_search_call`. Send them back in the next turn, unchanged.',
      }),
    output_text: z.string().meta({ description: 'The whole text of the answer, as one string.' }),
    store: z.literal(false),
    usage: z
      .looseObject({
        input_tokens: countShape.meta({
          description: 'All tokens of the input, including those that were read from a cache or written to it.',
        }),
        input_tokens_details: z
          .looseObject({
            cached_tokens: countShape.meta({ description: 'Tokens of the input that were read from a cache.' }),
            cache_write_tokens: countShape.meta({ description: 'Tokens of the input that were written to a cache.' }),
            cache_creation_token_details: writtenLifetimes,
            audio_tokens: recordingTokens,
          })
          .meta({ description: 'The tokens of the input that have a price of their own.' }),
        output_tokens: countShape.meta({ description: 'Tokens of the answer, thinking included.' }),
        output_tokens_details: z
          .looseObject({
            reasoning_tokens: countShape.meta({
              description: 'Tokens of thinking, as far as the provider reports them.',
            }),
          })
          .meta({ description: 'The tokens of the answer that were thinking.' }),
        total_tokens: countShape.meta({ description: 'The sum of the tokens of prompt and answer.' }),
        cost: rub.optional().meta({ description: 'The price of the request in roubles, exact.' }),
        server_tool_use: searchesShape,
      })
      .meta({ description: 'The tokens of the request, and their cost.' }),
    gateway: earlyEndShape,
  })
  .meta({ id: 'Response' });

export const inputTokensAnswer = z.strictObject({
  object: z.literal('response.input_tokens'),
  input_tokens: countShape.meta({ description: 'The number of tokens of the input, with instructions and tools.' }),
  estimated: z.literal(true).optional(),
});
export type InputTokensAnswer = z.output<typeof inputTokensAnswer>;
