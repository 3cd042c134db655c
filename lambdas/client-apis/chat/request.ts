/** Converts requests of the Chat Completions API to the Messages API, by the rules of docs/client-apis/chat.md. */

import * as z from 'zod';
import { isAbsentOrEmpty } from '../../messages/field-kinds.ts';
import { isBlankConversation, withoutBlankTexts } from '../../messages/blank-texts.ts';
import { documentationOf } from '../../messages/list-of.ts';
import type { PromptPlugins } from '../../messages/plugins.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import {
  answerFields,
  callerFields,
  modelsOfBody,
  promptSettings,
  plainFields,
  requestedFormat,
  streamOptions,
  unheededHints,
} from '../common-fields.ts';
import { insistenceFault, namesOf, unheededFields, unknownFields } from '../../messages/unknown-fields.ts';
import { resultsOfSize, searchPlaceOf } from '../search-request.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import { requestedThinkingFields } from '../thinking-request.ts';
import { toolChoiceFault, toolFields } from '../tool-fields.ts';
import { withoutNull } from '../without-null.ts';
import { callOfItems } from './items.ts';
import { chatConversation } from './conversation.ts';
import type { ChunkSettings } from './chunks.ts';
import { mediaFault, requestedMediaFields } from './media-fields.ts';
import { chatBody, chatReasoning, chatThinking, templateSettings, type ChatBody } from './schema.ts';
import { ChatTools } from './tools.ts';

export interface ChatCall extends ChunkSettings {
  message: RoutedRequest;
  /** For each converted message, its position in the client's `messages`. */
  origins: ClientMessagePosition[];
  /** Whether the client sent its conversation as `input`, in the form of the Responses API. */
  hasItems: boolean;
  /** Names of the client's fields that no endpoint gets. */
  leftOut: string[];
}

const chatCallSchema = chatBody.transform((body, context): ChatCall => {
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  if (!isAbsentOrEmpty(body.input)) refuse(['input'], 'cannot be used together with messages; leave it out');
  const sent = new ChatTools(body);
  const media = requestedMediaFields(body);
  const { system, messages, origins } = chatConversation(body.messages, {
    names: sent.names,
    hasImages: media.modalities?.includes('image') === true,
  });
  const models = modelsOfBody(body);
  if (!models) refuse(['model'], 'is required: the id of a model of the catalog');
  if (isBlankConversation(messages)) refuse(['messages'], 'have no text; write at least one that is not blank');
  if (body.reasoning?.max_tokens && body.reasoning.effort) {
    refuse(['reasoning', 'max_tokens'], 'cannot be used together with effort; leave one of them out');
  }
  if (sent.areOlder && body.tools?.length)
    refuse(['functions'], 'cannot be used together with tools; send tools alone');
  const tools = sent.declared();
  const choice = sent.choice();
  const choiceFault = toolChoiceFault(tools, choice);
  if (choiceFault) refuse([sent.areOlder ? 'function_call' : 'tool_choice'], choiceFault);
  const showsReasoning = body.reasoning?.exclude !== true && body.include_reasoning !== false;
  const leftOut = chatLeftOut(body);
  const insistence = insistenceFault(body, leftOut);
  if (insistence) refuse(insistence.path, insistence.message);
  const fault = mediaFault(body, body.stream === true);
  if (fault) refuse(fault.path, fault.message);
  if (body.top_logprobs && body.logprobs !== true) refuse(['top_logprobs'], 'needs logprobs to be true');
  const message = {
    ...plainFields(body),
    ...answerFields(body),
    ...media,
    ...models,
    messages: withoutBlankTexts(messages),
    ...toolFields(tools, choice, sent.hasOneCall ? false : body.parallel_tool_calls),
    ...promptSettings(system, requestedSettings(body, showsReasoning), requestedFormat(body)),
    ...pluginFields(body),
    ...callerFields(body),
  } as RoutedRequest;
  return {
    message,
    origins,
    hasItems: false,
    leftOut,
    showsReasoning,
    tools: sent.names,
    hasOlderCalls: sent.areOlder,
    audioFormat: body.audio?.format,
    hasUsageChunk: body.stream_options?.include_usage === true,
  };
});

/** Schema of the body. The API document has the fields of a body with `messages`. */
export const chatRequestSchema = z
  .unknown()
  .transform((body, context): ChatCall => {
    const { data, error } = hasItems(body) ? callOfItems(body) : chatCallSchema.safeParse(body);
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
    return data ?? z.NEVER;
  })
  .meta({
    override: ({ jsonSchema }) => void Object.assign(jsonSchema, documentationOf(chatBody.partial({ messages: true }))),
  });

/** Returns whether a body has its conversation in `input`, in the form of the Responses API. */
function hasItems(body: unknown): body is object {
  const { messages, input } = (body ?? {}) as Record<string, unknown>;
  return isAbsentOrEmpty(messages) && !isAbsentOrEmpty(input);
}

function chatLeftOut(body: ChatBody): string[] {
  return namesOf([
    ...unknownFields(body, chatBody.shape),
    ...unknownFields(body.reasoning, chatReasoning, 'reasoning.'),
    ...unknownFields(body.thinking, chatThinking, 'thinking.'),
    ...unknownFields(body.chat_template_kwargs, templateSettings, 'chat_template_kwargs.'),
    ...unknownFields(body.stream_options, streamOptions, 'stream_options.'),
    ...unheededFields(body, unheededHints),
  ]);
}

function requestedSettings(body: ChatBody, showsReasoning: boolean) {
  const { reasoning, reasoning_effort: effort, thinking, thinking_budget: budget } = body;
  return requestedThinkingFields({
    enabled: reasoning?.enabled ?? requestedThinking(body),
    effort: reasoning?.effort ?? effort,
    maxTokens: reasoning?.max_tokens ?? thinking?.budget_tokens ?? budget,
    isHidden: !showsReasoning,
  });
}

/**
 * Returns true if a field of other chat services turns thinking on, and false if it turns thinking off; undefined
 * without such a field.
 */
function requestedThinking(body: ChatBody): boolean | undefined {
  const { thinking, enable_thinking: isEnabled, chat_template_kwargs: settings } = body;
  if (thinking) return thinking.type !== 'disabled';
  return isEnabled ?? settings?.enable_thinking ?? settings?.thinking ?? undefined;
}

function pluginFields({ plugins, web_search_options: options }: ChatBody): PromptPlugins {
  const requested = plugins ?? [];
  if (!options || requested.some(({ id }) => id === 'web')) return requested.length > 0 ? { plugins: requested } : {};
  const web = withoutNull({
    id: 'web' as const,
    max_results: options.max_results ?? resultsOfSize(options.search_context_size),
    search_prompt: options.search_prompt,
    user_location: searchPlaceOf(options.user_location),
  });
  return { plugins: [...requested, web] };
}

/** Limits and number handling for parsing the JSON of the body. */
export const chatJson = {
  maxValues: 100_000,
  /** Fields whose numbers must not be rounded: JSON schemas, inputs of calls, and amounts of money. */
  exactWithin: ['parameters', 'input_schema', 'input', 'schema', 'max_price'],
};
