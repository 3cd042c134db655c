import * as z from 'zod';
import { countShape, earlyEndShape, rub } from '../../http/shapes.ts';
import { answeringModel, generationId, recordingTokens, searchesShape, writtenLifetimes } from '../parts/shape.ts';

const functionCall = z.looseObject({
  id: z.string().meta({ description: 'The id of the call; send it back with the result.' }),
  type: z.literal('function'),
  function: z
    .looseObject({
      name: z.string().meta({ description: 'The name of the function to call.' }),
      arguments: z.string().meta({ description: 'The arguments of the call, as a text of JSON.' }),
    })
    .meta({ description: 'The function that the model wants to be called.' }),
});

const customCall = z.looseObject({
  id: z.string().meta({ description: 'The id of the call; send it back with the result.' }),
  type: z.literal('custom'),
  custom: z
    .looseObject({
      name: z.string().meta({ description: 'The name of the custom tool to call.' }),
      input: z.string().meta({ description: 'The input of the tool, as the model has written it.' }),
    })
    .meta({ description: 'The custom tool that the model wants to be called.' }),
});

const completionMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z
    .string()
    .nullable()
    .meta({ description: 'The text of the answer; `null` if there are only calls, images or speech.' }),
  refusal: z.string().nullable().meta({
    description: 'The text of the model’s refusal, if its provider reports it separately; otherwise null.',
  }),
  reasoning: z.string().optional().meta({ description: 'The thinking of the model as text, if the model shows it.' }),
  reasoning_content: z
    .string()
    .optional()
    .meta({ description: 'The same as `reasoning`, under the name that some clients read.' }),
  reasoning_details: z
    .array(
      z.looseObject({
        type: z.string().meta({ description: 'The kind of entry: `reasoning.text` or `reasoning.encrypted`.' }),
      }),
    )
    .optional()
    .meta({ description: 'The thinking with its signatures. Send it back in the next turn, unchanged.' }),
  tool_calls: z
    .array(z.union([functionCall, customCall]))
    .optional()
    .meta({ description: 'The functions and custom tools that the model wants to be called.' }),
  annotations: z
    .array(z.looseObject({ type: z.literal('url_citation') }))
    .optional()
    .meta({ description: 'The pages that the answer cites, and where in the text.' }),
  images: z
    .array(
      z.looseObject({
        index: countShape.meta({ description: 'The place of the image among the images.' }),
        type: z.literal('image_url'),
        image_url: z
          .looseObject({ url: z.string().meta({ description: 'The image as a data URL.' }) })
          .meta({ description: 'The image in the form of a part of a message.' }),
      }),
    )
    .optional()
    .meta({ description: 'The images that the model has drawn; streams have them in `delta.images`.' }),
  audio: z
    .looseObject({
      id: z.string().meta({ description: 'The id of the recording. No later request can refer to it.' }),
      data: z.string().meta({ description: 'The audio in base64: speech in the requested format, or music as MP3.' }),
      expires_at: countShape.meta({ description: 'When the provider forgets the recording, as a Unix time.' }),
      transcript: z.string().meta({ description: 'The words that are spoken or sung.' }),
    })
    .optional()
    .meta({ description: 'The audio of the answer; streams have its pieces in `delta.audio`.' }),
});

const likely = {
  token: z.string().meta({ description: 'The text of the token.' }),
  logprob: z.number().meta({ description: 'The natural logarithm of the token’s probability.' }),
  bytes: z.array(z.int()).nullable().meta({ description: 'The bytes of the token in UTF-8; null if unknown.' }),
};
const logprobs = z.looseObject({
  content: z
    .array(
      z.looseObject({
        ...likely,
        top_logprobs: z
          .array(z.looseObject(likely))
          .meta({ description: 'The likely tokens at this position; empty without `top_logprobs`.' }),
      }),
    )
    .meta({ description: 'The tokens of the answer, in their order.' }),
  refusal: z.null().meta({ description: 'Always null: refusals have no probabilities here.' }),
});

/** Chat completion in the API document. */
export const chatCompletionAnswer = z
  .looseObject({
    id: generationId,
    object: z.literal('chat.completion'),
    created: countShape.meta({ description: 'The time of the request, as a Unix time in seconds.' }),
    model: answeringModel,
    provider: z.string().meta({ description: 'The name of the provider that answered.', example: 'OpenAI' }),
    system_fingerprint: z.null().meta({ description: 'Always null: fingerprints of providers are not passed on.' }),
    choices: z
      .array(
        z.looseObject({
          index: z.literal(0),
          message: completionMessage.meta({ description: 'The answer of the model.' }),
          finish_reason: z.string().meta({
            description:
              'Why the answer ends: `stop`, `length`, `tool_calls`, `content_filter` or `error`. It is also `length` if the gateway ended the answer; `metadata` then has the reason.',
          }),
          native_finish_reason: z
            .string()
            .nullable()
            .meta({ description: 'The same reason as the Messages API names it, such as `end_turn`.' }),
          logprobs: logprobs.nullable().meta({
            description: 'The probabilities of the tokens of the answer’s text; null unless `logprobs` is true.',
          }),
        }),
      )
      .meta({ description: 'The answer, as a list of one.' }),
    usage: z
      .looseObject({
        prompt_tokens: countShape.meta({
          description: 'All tokens of the prompt, including those that were read from a cache or written to it.',
        }),
        completion_tokens: countShape.meta({ description: 'Tokens of the answer, thinking included.' }),
        total_tokens: countShape.meta({ description: 'The sum of the tokens of prompt and answer.' }),
        prompt_tokens_details: z
          .looseObject({
            cached_tokens: countShape.meta({ description: 'Tokens of the prompt that were read from a cache.' }),
            cache_write_tokens: countShape.meta({ description: 'Tokens of the prompt that were written to a cache.' }),
            cache_creation_token_details: writtenLifetimes,
            audio_tokens: recordingTokens,
          })
          .meta({ description: 'The tokens of the prompt that have a price of their own.' }),
        completion_tokens_details: z
          .looseObject({
            reasoning_tokens: countShape.meta({
              description: 'Tokens of thinking, as far as the provider reports them.',
            }),
            image_tokens: countShape.optional().meta({ description: 'Tokens of the drawn images, if there are any.' }),
            audio_tokens: countShape.optional().meta({ description: 'Tokens of the speech, if there is any.' }),
          })
          .meta({ description: 'The tokens of the answer that are not its text.' }),
        cost: rub.optional().meta({ description: 'The price of the request in roubles, exact.' }),
        server_tool_use: searchesShape,
      })
      .meta({ description: 'The tokens of the request, and their cost.' }),
    metadata: earlyEndShape,
  })
  .meta({ id: 'ChatCompletion' });
