/**
 * The body of POST /chat/completions. Each field is honoured, or mapped by the rule in its description, or refused by its name;
 * none is left out in silence. An explicit null counts as absent.
 */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import { plugins, transforms } from '../../messages/plugins.ts';
import { otherModels, providerPreferences, sessionId } from '../../messages/preferences.ts';
import { searchLocation } from '../search-request.ts';
import { reasoningEffort, reasoningSummary } from '../thinking-request.ts';
import { chatMessages } from './conversation.ts';
import { chatToolChoice, chatTools } from './tools.ts';

const MAX_SENT_STOP_SEQUENCES = 64;
const MAX_LABELS = 16;
const MAX_LABEL_CHARACTERS = 512;
const MAX_USER_CHARACTERS = 512;

const stopSequence = z.string().min(1);
const tokens = optionalField(z.int().positive());
const unsupported = (why: string) => optionalField(z.never(why));

const responseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z
        .object({
          name: optionalField(z.string()).meta({ description: 'A name of yours for the schema.' }),
          description: optionalField(z.string()).meta({ description: 'What the schema is for.' }),
          schema: optionalField(anyObject).meta({ description: 'The JSON schema that the answer has to fit.' }),
          strict: optionalField(z.boolean()).meta({
            description: 'Accepted: the answer has to fit the schema with any value of this.',
          }),
        })
        .meta({ description: 'The schema, with a name.' }),
    }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be one of text, json_object, json_schema' : undefined) },
);

export const chatBody = z.strictObject({
  model: optionalField(z.string().min(1).max(200)).meta({
    description:
      'The id of a model of the catalog, such as `openai/gpt-5.5`. A suffix asks for something more: `:floor` for the lowest price, `:nitro` for the highest throughput, `:online` for a web search first.',
  }),
  models: otherModels.meta({
    description: 'Other models that are tried in this order where the first one cannot answer.',
  }),
  messages: chatMessages,
  stream: optionalField(z.boolean()).meta({
    description: 'With true the answer comes as server-sent events while it is written.',
  }),
  stream_options: optionalField(
    z.object({
      include_usage: optionalField(z.boolean()).meta({
        description: 'Accepted with any value: a stream always ends with its usage.',
      }),
      include_obfuscation: optionalField(z.boolean()).meta({
        description: 'Accepted with any value: nothing is added to the events.',
      }),
    }),
  ).meta({ description: 'Settings of the stream.' }),
  max_tokens: tokens.meta({
    description: 'The most tokens that the answer may have, thinking included. It also bounds what it may cost.',
  }),
  max_completion_tokens: tokens.meta({ description: 'The newer name of `max_tokens`; it counts where both are sent.' }),
  stop: optionalField(
    z.union([stopSequence, boundedList(stopSequence, { max: MAX_SENT_STOP_SEQUENCES })], 'must be a text or a list'),
  ).meta({ description: 'Texts at which the answer ends; the text itself is not part of the answer.' }),
  temperature: optionalField(z.number().min(0).max(2)).meta({
    description: 'How much chance decides between words: with 0 the model takes the most likely one.',
  }),
  top_p: optionalField(z.number().min(0).max(1)).meta({
    description: 'The model chooses among the most likely tokens whose probabilities add up to this. 1 says nothing.',
  }),
  top_k: optionalField(z.int().nonnegative()).meta({
    description: 'The model considers only this many of the most likely tokens. 0 says nothing.',
  }),
  frequency_penalty: optionalField(z.number().min(-2).max(2)).meta({
    description: 'Makes words less likely the more often they were said. 0 says nothing.',
  }),
  presence_penalty: optionalField(z.number().min(-2).max(2)).meta({
    description: 'Makes words less likely that were said before. 0 says nothing.',
  }),
  repetition_penalty: optionalField(z.number().min(0).max(2)).meta({
    description: 'Makes words of the prompt and of the answer less likely. 1 says nothing.',
  }),
  seed: optionalField(z.int()).meta({
    description: 'Refused by models that do not take it; with the same seed some answer alike.',
  }),
  min_p: optionalField(z.literal(0, 'must be 0: no model here takes it')).meta({
    description: 'Only 0, which says nothing.',
  }),
  top_a: optionalField(z.literal(0, 'must be 0: no model here takes it')).meta({
    description: 'Only 0, which says nothing.',
  }),
  logit_bias: unsupported('is not supported by this gateway; leave it out').meta({ description: 'Refused.' }),
  tools: chatTools.meta({
    description:
      'Your functions that the model may call. The gateway itself runs `{"type": "web_search"}` with any model that can call functions.',
  }),
  tool_choice: chatToolChoice.meta({ description: 'Whether the model has to call a tool, and which one.' }),
  parallel_tool_calls: optionalField(z.boolean()).meta({
    description: 'With false the answer has at most one call of a tool.',
  }),
  response_format: optionalField(responseFormat).meta({
    description:
      'The form of the answer. `json_schema` makes it fit a schema, on models that support this; `json_object` asks the model in the prompt for a JSON object.',
  }),
  reasoning_effort: reasoningEffort.meta({ description: 'How much the model thinks before it answers.' }),
  reasoning: optionalField(
    z.object({
      effort: reasoningEffort.meta({ description: 'How much the model thinks before it answers.' }),
      max_tokens: tokens.meta({ description: 'The most tokens of thinking, in place of an effort.' }),
      enabled: optionalField(z.boolean()).meta({ description: 'With true the model thinks, with false it does not.' }),
      exclude: optionalField(z.boolean()).meta({
        description: 'With true the answer does not show the thinking. It is billed as well.',
      }),
      summary: reasoningSummary.meta({ description: 'Accepted: summaries are as long as the provider makes them.' }),
    }),
  ).meta({ description: 'Whether the model thinks, how much, and whether the answer shows it.' }),
  include_reasoning: optionalField(z.boolean()).meta({
    description: 'With false the answer does not show the thinking.',
  }),
  web_search_options: optionalField(
    z.object({
      search_context_size: optionalField(z.enum(['low', 'medium', 'high'])).meta({
        description: 'How many pages the model gets: 3, 5 or 10.',
      }),
      user_location: searchLocation.meta({ description: 'The approximate location of the user.' }),
    }),
  ).meta({ description: 'With this the web is searched before the model is asked, as by the plugin `web`.' }),
  user: optionalField(z.string().max(MAX_USER_CHARACTERS)).meta({
    description: 'Your id of the person that the request is for. Providers get a digest of it, never the id itself.',
  }),
  safety_identifier: optionalField(z.string().max(MAX_USER_CHARACTERS)).meta({
    description: 'The newer name of `user`.',
  }),
  prompt_cache_key: optionalField(z.string().max(256)).meta({
    description: 'Your name for the conversation, like `session_id`, which counts where both are sent.',
  }),
  prompt_cache_retention: optionalField(z.enum(['in_memory', '24h'])).meta({
    description: 'Accepted, and without an effect: `cache_control` says how long a provider keeps a cache.',
  }),
  metadata: optionalField(
    z
      .record(z.string().max(64), z.string().max(MAX_LABEL_CHARACTERS))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must have at most ${MAX_LABELS} members`),
  ).meta({ description: 'Labels of a stored answer. Nothing is stored here, so they have no effect.' }),
  store: optionalField(z.literal(false, 'must be false: this gateway keeps no answers')).meta({
    description: 'Only false: this gateway keeps no answers.',
  }),
  service_tier: optionalField(
    z.enum(['auto', 'default', 'standard'], 'must be "auto" or "default": the catalog has no other price'),
  ).meta({ description: 'Tiers with other prices are refused.' }),
  n: optionalField(z.literal(1, 'must be 1: send the request again for another answer')).meta({
    description: 'Only 1: each request has one answer.',
  }),
  logprobs: optionalField(z.literal(false, 'must be false: no probabilities are given here')).meta({
    description: 'Only false.',
  }),
  top_logprobs: optionalField(z.literal(0, 'must be 0: no probabilities are given here')).meta({
    description: 'Only 0.',
  }),
  modalities: optionalField(boundedList(z.literal('text', 'must be "text": answers here are texts'), { max: 1 })).meta({
    description: 'Only `["text"]`.',
  }),
  audio: unsupported('is not supported: answers here are texts').meta({ description: 'Refused.' }),
  prediction: unsupported('is not supported by this gateway; leave it out').meta({ description: 'Refused.' }),
  functions: unsupported('is the older form: send tools').meta({
    description: 'Refused; `tools` has taken its place.',
  }),
  function_call: unsupported('is the older form: send tool_choice').meta({
    description: 'Refused; `tool_choice` has taken its place.',
  }),
  input: unsupported('is a field of POST /responses: send the request there, or messages here').meta({
    description: 'Refused: a request with it is one of `POST /responses`.',
  }),
  usage: optionalField(
    z.object({
      include: optionalField(z.boolean()).meta({ description: 'Accepted with any value: every answer has its usage.' }),
    }),
  ).meta({ description: 'Accepted: every answer has its usage and its cost.' }),
  verbosity: optionalField(z.enum(['low', 'medium', 'high'])).meta({
    description: 'How much the model says. `medium` says nothing; models that do not take it refuse others.',
  }),
  cache_control: cacheControl.meta({
    description: 'Asks the provider to cache the prompt up to its last part.',
  }),
  provider: optionalField(providerPreferences).meta({
    description: 'Preferences for routing: which endpoints may answer, and in which order.',
  }),
  plugins: plugins.meta({
    description:
      'What the gateway does before the model is asked: `web` searches the web, `context-compression` shortens a conversation that is too long.',
  }),
  transforms: transforms.meta({
    description: '`["middle-out"]` is the older way to ask for the plugin `context-compression`.',
  }),
  route: optionalField(z.literal('fallback')).meta({ description: 'Accepted: `models` are always tried in turn.' }),
  session_id: sessionId,
});
export type ChatBody = z.output<typeof chatBody>;
