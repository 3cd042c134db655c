/**
 * Schema of the body of POST /chat/completions. A field that requests a function of the API is honored, or refused by
 * name. A field that only tunes the answer is sent only to endpoints that accept it; an unknown field is sent to none.
 * An explicit null counts as absent.
 */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { searchPrompt } from '../../messages/plugins.ts';
import { maxResults } from '../../messages/search-tool.ts';
import { commonFields, unsupported } from '../common-fields.ts';
import { searchContextSize, searchLocation } from '../search-request.ts';
import { reasoningEffort, reasoningSummary, budgetTokens } from '../thinking-request.ts';
import { chatMessages } from './conversation.ts';
import { mediaFields } from './media-fields.ts';
import { chatToolChoice, chatTools, olderFunctionCall, olderFunctions } from './tools.ts';

export const chatThinking = {
  type: z.enum(['enabled', 'adaptive', 'auto', 'disabled']).meta({
    description: 'With `disabled` the model does not think; with any other value it does.',
  }),
  budget_tokens: budgetTokens.meta({ description: 'The most tokens of thinking.' }),
};

export const templateSettings = {
  enable_thinking: optionalField(z.boolean()).meta({ description: 'The same as the field `enable_thinking`.' }),
  thinking: optionalField(z.boolean()).meta({ description: 'The same, as some models of vLLM name it.' }),
};

export const chatReasoning = {
  effort: reasoningEffort.meta({
    description:
      'How much the model thinks before it answers: with `none` not at all, with `max` the most. Thinking is billed as output.',
  }),
  max_tokens: budgetTokens.meta({ description: 'The most tokens of thinking, in place of an effort.' }),
  enabled: optionalField(z.boolean()).meta({ description: 'With true the model thinks, with false it does not.' }),
  exclude: optionalField(z.boolean()).meta({
    description: 'With true the answer does not show the thinking, which is billed nevertheless.',
  }),
  summary: reasoningSummary.meta({
    description: 'Accepted, and without an effect: summaries of thinking are as long as the provider makes them.',
  }),
};

export const chatBody = z.looseObject({
  ...commonFields,
  messages: chatMessages.meta({
    description: 'The conversation so far, with the oldest message first. It is required, unless `input` is sent.',
  }),
  tools: chatTools.meta({
    description:
      'Your functions and custom tools that the model may call, each with a name of its own. The gateway itself runs `{"type": "web_search"}` with any model that can call functions.',
  }),
  tool_choice: chatToolChoice.meta({ description: 'Whether the model has to call a tool, and which one.' }),
  reasoning: optionalField(z.looseObject(chatReasoning)).meta({
    description:
      'Settings of the thinking before the answer: whether the model thinks, how much (`effort` or `max_tokens`), and whether the answer shows it.',
  }),
  thinking: optionalField(z.looseObject(chatThinking)).meta({
    description:
      'Settings of the thinking in the form of Anthropic, DeepSeek and Z.ai; if `reasoning` is sent as well, that is used.',
  }),
  enable_thinking: optionalField(z.boolean()).meta({
    description:
      'With true the model thinks, in the form of Qwen’s services; if `reasoning` is sent as well, that is used.',
  }),
  thinking_budget: budgetTokens.meta({
    description: 'The most tokens of thinking, in the form of Qwen’s services.',
  }),
  chat_template_kwargs: optionalField(z.looseObject(templateSettings)).meta({
    description: 'Settings of the prompt format of vLLM, SGLang and llama.cpp. Only those of thinking have an effect.',
  }),
  include_reasoning: optionalField(z.boolean()).meta({
    description: 'With false the answer does not show the thinking.',
  }),
  web_search_options: optionalField(
    z.strictObject({
      search_context_size: searchContextSize,
      max_results: maxResults,
      search_prompt: searchPrompt,
      user_location: searchLocation.meta({ description: 'The approximate location of the user.' }),
    }),
  ).meta({
    description:
      'With this field, the gateway searches the web before the model gets the request, as with the plugin `web`.',
  }),
  store: optionalField(z.literal(false, 'must be false, because this gateway does not store answers')).meta({
    description: 'Only false is accepted, because this gateway keeps no answers.',
  }),
  instructions: unsupported('is a field of POST /responses; send a message of the role system instead'),
  text: unsupported('is a field of POST /responses; send response_format or verbosity instead'),
  ...mediaFields,
  functions: olderFunctions.meta({
    description: 'Your functions in the older form of `tools`; the answer then has a call as `function_call`.',
  }),
  function_call: olderFunctionCall.meta({ description: 'The older form of `tool_choice`.' }),
  input: optionalField(z.union([z.string(), z.array(z.unknown())], 'must be a text or a list of items')).meta({
    description:
      'The conversation in the form of `POST /responses`, as Cursor sends it. The other fields are then those of that route, and the answer has the form of this route.',
  }),
  usage: optionalField(
    z.strictObject({
      include: optionalField(z.boolean()).meta({
        description: 'Accepted with any value: every complete answer has its usage.',
      }),
    }),
  ).meta({ description: 'Accepted, and without an effect: every complete answer has its usage and its cost.' }),
});
export type ChatBody = z.output<typeof chatBody>;
