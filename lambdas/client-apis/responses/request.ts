/** Converts requests of the Responses API to the Messages API, by the rules of docs/client-apis/responses.md. */

import { isBlankConversation, withoutBlankTexts } from '../../messages/blank-texts.ts';
import type { PromptPlugins } from '../../messages/plugins.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import { isSearchType } from '../../messages/search-tool.ts';
import type { Tool } from '../../messages/types.ts';
import {
  type AnswerFormat,
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
import type { ClientMessagePosition } from '../field-names.ts';
import { requestedThinkingFields } from '../thinking-request.ts';
import { toolChoiceFault, toolFields } from '../tool-fields.ts';
import type { ToolNames } from '../tool-names.ts';
import { responsesConversation, toolsInConversation, updatedSettings } from './input.ts';
import { responseReasoning, responsesBody, responseText, type ResponsesBody } from './schema.ts';
import { DeclaredTools, unusableTools } from './tools.ts';

export interface ResponsesCall {
  message: RoutedRequest;
  /** For each converted message, its position in the client's `input`. */
  origins: ClientMessagePosition[];
  /** Names of the client's fields that no endpoint gets. */
  leftOut: string[];
  /** Tools that the request declares, by the client's names. */
  tools: ToolNames;
  /** Whether the answer lists the pages that a search found. */
  showsSources: boolean;
  /** Whether the answer contains the thinking, if the provider returns its text. */
  showsThinking: boolean;
  /** Requested format; undefined if the request has none. */
  format: AnswerFormat | undefined;
}

export const responsesRequestSchema = responsesBody.transform((body, context): ResponsesCall => {
  const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
  const declared = new DeclaredTools([...(body.tools ?? []), ...toolsInConversation(body.input)]);
  const { system, messages, origins } = responsesConversation(body.input, declared.names);
  const models = modelsOfBody(body);
  if (!models) refuse(['model'], 'is required: the id of a model of the catalog');
  if (isBlankConversation(messages)) refuse(['input'], 'has no text; write at least one that is not blank');
  const tools = withSearchLimit(declared.callable(body.tool_choice), body.max_tool_calls);
  const choice = declared.choice(body.tool_choice);
  const choiceFault = toolChoiceFault(tools, choice);
  if (choiceFault) refuse(['tool_choice'], choiceFault);
  const showsThinking = requestsSummary(body);
  const leftOut = responseLeftOut(body);
  const insistence = insistenceFault(body, leftOut);
  if (insistence) refuse(insistence.path, insistence.message);
  const updated = updatedSettings(body.input);
  const format = updated.format ?? body.text?.format;
  // Clients may send the default format `text` in `text.format`, and another format in `response_format`.
  const sentFormat = format?.type === 'text' ? undefined : format;
  if (sentFormat && (body.response_format?.type ?? 'text') !== 'text') {
    refuse(['response_format'], 'cannot be used together with text.format; leave one of them out');
  }
  const chosenFormat = sentFormat ?? requestedFormat(body);
  const message = {
    ...plainFields({ ...body, verbosity: body.text?.verbosity ?? body.verbosity }),
    ...answerFields({ ...body, logprobs: requestsLogprobs(body) }),
    ...models,
    messages: withoutBlankTexts(messages),
    ...toolFields(tools, choice, body.parallel_tool_calls),
    ...promptSettings(
      [{ type: 'text', text: body.instructions ?? '' }, ...system],
      requestedThinkingFields({
        // A request for a summary turns thinking on, unless the client turns it off.
        enabled: body.reasoning?.enabled ?? (showsThinking ? true : undefined),
        effort: updated.effort ?? body.reasoning?.effort ?? body.reasoning_effort,
        maxTokens: body.reasoning?.max_tokens,
        isHidden: !showsThinking,
      }),
      chosenFormat,
    ),
    ...pluginFields(body),
    ...callerFields(body),
  } as RoutedRequest;
  const showsSources = body.include?.includes('web_search_call.action.sources') === true;
  return { message, origins, leftOut, tools: declared.names, showsSources, showsThinking, format: chosenFormat };
});

function responseLeftOut(body: ResponsesBody): string[] {
  return namesOf([
    ...unknownFields(body, responsesBody.shape),
    ...unknownFields(body.reasoning, responseReasoning, 'reasoning.'),
    ...unknownFields(body.text, responseText, 'text.'),
    ...unknownFields(body.stream_options, streamOptions, 'stream_options.'),
    ...unknownFields(unusableTools(body.tools ?? []), {}, 'tools.'),
    ...unheededFields(body, unheededHints),
  ]);
}

function requestsLogprobs({ logprobs, top_logprobs: most, include }: ResponsesBody): boolean {
  return Boolean(logprobs || most) || include?.includes('message.output_text.logprobs') === true;
}

function requestsSummary({ reasoning }: ResponsesBody): boolean {
  return (reasoning?.summary ?? reasoning?.generate_summary ?? 'none') !== 'none';
}

function withSearchLimit(tools: Tool[], limit: number | null | undefined): Tool[] {
  return limit ? tools.map((tool) => (isSearchType(tool.type) ? { max_uses: limit, ...tool } : tool)) : tools;
}

function pluginFields({ plugins, truncation }: ResponsesBody): PromptPlugins {
  const requested = plugins ?? [];
  const shortens = truncation === 'auto' && !requested.some(({ id }) => id === 'context-compression');
  const all = shortens ? [...requested, { id: 'context-compression' as const }] : requested;
  return all.length > 0 ? { plugins: all } : {};
}

/** Limits and number handling for parsing the JSON of the body. */
export const responsesJson = {
  maxValues: 100_000,
  /** Fields whose numbers must not be rounded: JSON schemas, and amounts of money. */
  exactWithin: ['parameters', 'schema', 'max_price'],
};
