/** A chat request as the engine gets it: a request of the Messages API. docs/client-apis/chat.md has the rules. */

import type { PromptPlugins } from '../../messages/plugins.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { Block } from '../../messages/types.ts';
import { callerFields, jsonInstruction, askedModels, plainFields } from '../common-fields.ts';
import { resultsOfSize, searchPlaceOf } from '../search-request.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import { askedThinkingFields } from '../thinking-request.ts';
import { toolChoiceFault, toolFields } from '../tool-fields.ts';
import { withoutNull } from '../without-null.ts';
import { chatConversation } from './conversation.ts';
import { chatBody, type ChatBody } from './schema.ts';
import { chosenChatTool, declaredChatTools } from './tools.ts';

/** A request of the chat API, and what its answer has to know of it. */
export interface ChatCall {
  message: RoutedRequest;
  /** The place in `messages` of each message that the engine gets. */
  origins: ClientMessagePosition[];
  showsReasoning: boolean;
}

const asTheyAre = [
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'verbosity',
  'cache_control',
  'provider',
  'transforms',
  'stream',
] as const satisfies (keyof ChatBody)[];

export const chatRequestSchema = chatBody.transform((body, context): ChatCall => {
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  const { system, messages, origins } = chatConversation(body.messages);
  const models = askedModels(body);
  if (!models) refuse(['model'], 'is required: the id of a model of the catalog');
  if (messages.length === 0) refuse(['messages'], 'have no text; write at least one that is not empty');
  if (body.reasoning?.max_tokens && body.reasoning.effort) {
    refuse(['reasoning', 'max_tokens'], 'cannot be used together with effort; leave one of them out');
  }
  const tools = declaredChatTools(body.tools ?? []);
  const choice = chosenChatTool(body.tool_choice);
  const choiceFault = toolChoiceFault(tools, choice);
  if (choiceFault) refuse(['tool_choice'], choiceFault);
  const showsReasoning = body.reasoning?.exclude !== true && body.include_reasoning !== false;
  const message = {
    ...plainFields(body, asTheyAre),
    ...models,
    messages,
    ...systemField(system, body),
    ...limitFields(body),
    ...toolFields(tools, choice, body.parallel_tool_calls),
    ...answerFields(body, showsReasoning),
    ...pluginFields(body),
    ...callerFields(body),
  } as RoutedRequest;
  return { message, origins, showsReasoning };
});

function systemField(system: Block[], { response_format: format }: ChatBody): { system?: Block[] } {
  const asked = format?.type === 'json_object' ? [{ type: 'text', text: jsonInstruction(format.schema) }] : [];
  const blocks = [...system, ...asked];
  return blocks.length > 0 ? { system: blocks } : {};
}

function limitFields({ max_tokens: limit, max_completion_tokens: newer, stop }: ChatBody) {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  return withoutNull({
    max_tokens: newer ?? limit,
    stop_sequences: sequences.length > 0 ? sequences : undefined,
  });
}

/** How the model thinks, and the form of what it says. */
function answerFields(body: ChatBody, showsReasoning: boolean) {
  const { reasoning, reasoning_effort: effort, response_format: format } = body;
  const { output_config: output, ...thinking } = askedThinkingFields({
    enabled: reasoning?.enabled ?? isThinkingAsked(body),
    effort: reasoning?.effort ?? effort,
    maxTokens: reasoning?.max_tokens ?? body.thinking?.budget_tokens ?? body.thinking_budget,
    isHidden: !showsReasoning,
  });
  const schema =
    format?.type === 'json_schema' ? { type: 'json_schema', schema: format.json_schema.schema ?? {} } : undefined;
  if (!output && !schema) return thinking;
  return { ...thinking, output_config: { ...output, ...(schema ? { format: schema } : {}) } };
}

/** As services beside OpenAI ask for it. */
function isThinkingAsked({ thinking, enable_thinking: isEnabled }: ChatBody): boolean | undefined {
  return thinking ? thinking.type !== 'disabled' : (isEnabled ?? undefined);
}

function pluginFields({ plugins, web_search_options: options }: ChatBody): PromptPlugins {
  const asked = plugins ?? [];
  if (!options || asked.some(({ id }) => id === 'web')) return asked.length > 0 ? { plugins: asked } : {};
  const web = withoutNull({
    id: 'web' as const,
    max_results: resultsOfSize(options.search_context_size),
    user_location: searchPlaceOf(options.user_location),
  });
  return { plugins: [...asked, web] };
}

/** How the JSON of such a body is read. */
export const chatJson = {
  maxValues: 100_000,
  /** A model has to write these, and amounts are money: the gateway must not round their digits. */
  exactWithin: ['parameters', 'schema', 'max_price'],
};
