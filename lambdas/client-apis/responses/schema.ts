/**
 * Schema of the body of POST /responses. A field that requests a function of the API is honored, or refused by name. A
 * field that only tunes the answer is sent only to endpoints that accept it; an unknown field is sent to none. An
 * explicit null and an empty `previous_response_id` count as absent, because clients send them for fields that the user
 * did not set.
 */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import { verbosity } from '../../messages/sampling-fields.ts';
import { commonFields, unsupported } from '../common-fields.ts';
import { reasoningEffort, reasoningSummary, budgetTokens } from '../thinking-request.ts';
import { answerFormat } from './answer-format.ts';
import { responsesInput } from './input.ts';
import { responsesToolChoice, responsesTools } from './tools.ts';

const MAX_INCLUDED = 64;
const MAX_SEARCHES = 1_000;

const ONLY_CHAT = 'only POST /chat/completions answers with images or speech';
const WITH_MESSAGES = unsupported('needs messages; send tools, tool_choice or plugins instead');
export const responseText = {
  format: optionalField(answerFormat).meta({
    description:
      'The form of the answer. `json_schema` makes it fit a schema, on models that support this. With `json_object` the prompt demands a JSON object, and providers with a JSON mode enforce it in requests without tools.',
  }),
  verbosity,
};

export const responseReasoning = {
  effort: reasoningEffort.meta({
    description:
      'How much the model thinks before it answers: with `none` not at all, with `max` the most. Thinking is billed as output.',
  }),
  summary: reasoningSummary.meta({
    description: 'With any value but `none` the answer shows the thinking, as far as the provider does.',
  }),
  generate_summary: reasoningSummary.meta({ description: 'The older name of `summary`.' }),
  max_tokens: budgetTokens.meta({ description: 'The most tokens of thinking, in place of an effort.' }),
  enabled: optionalField(z.boolean()).meta({ description: 'With true the model thinks, with false it does not.' }),
};

export const responsesBody = z.looseObject({
  ...commonFields,
  input: responsesInput,
  instructions: optionalField(z.string()).meta({
    description: 'Instructions that the model gets before the conversation.',
  }),
  max_tool_calls: optionalField(z.int().positive().max(MAX_SEARCHES)).meta({
    description: 'The most searches that the model may make for this answer; never more than 20 are made.',
  }),
  tools: responsesTools.meta({
    description:
      'Your functions and custom tools that the model may call, each with a name of its own, and `{"type": "web_search"}` for the search of the gateway. Tools that only OpenAI runs are left out.',
  }),
  tool_choice: responsesToolChoice.meta({ description: 'Whether the model has to call a tool, and which one.' }),
  text: optionalField(z.looseObject(responseText)).meta({ description: 'Settings of the text of the answer.' }),
  reasoning: optionalField(z.looseObject(responseReasoning)).meta({
    description:
      'Settings of the thinking before the answer: whether the model thinks, how much (`effort` or `max_tokens`), and whether the answer shows it.',
  }),
  include: optionalField(boundedList(z.string().max(100), { max: MAX_INCLUDED })).meta({
    description:
      'Names of more that the answer is to show: `web_search_call.action.sources` adds the pages that a search has found, `message.output_text.logprobs` the probabilities of the tokens, on models with `logprobs` in their `supported_parameters`. Encrypted thinking is always shown; other names have no effect.',
  }),
  modalities: optionalField(boundedList(z.literal('text', `must be "text"; ${ONLY_CHAT}`), { max: 1 })).meta({
    description: 'Only `["text"]` is accepted; images and speech come from `POST /chat/completions`.',
  }),
  image_config: unsupported(`is not supported here; ${ONLY_CHAT}`),
  audio: unsupported(`is not supported here; ${ONLY_CHAT}`),
  store: optionalField(z.boolean()).meta({
    description: 'Accepted with any value: nothing is kept here, and the answer says `store: false`.',
  }),
  truncation: optionalField(z.enum(['auto', 'disabled'])).meta({
    description: 'With `auto` a conversation that is too long is shortened, as by the plugin `context-compression`.',
  }),
  client_metadata: optionalField(z.record(z.string().max(100), z.unknown())).meta({
    description: 'Facts about the client itself; they are accepted, and have no effect.',
  }),
  web_search_options: WITH_MESSAGES,
  functions: WITH_MESSAGES,
  function_call: WITH_MESSAGES,
  messages: unsupported('is a field of POST /chat/completions; send the request there, or send input instead'),
});
export type ResponsesBody = z.output<typeof responsesBody>;
