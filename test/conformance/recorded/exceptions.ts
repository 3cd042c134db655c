/**
 * Recordings with differences that are allowed, each with the reason. An exception that explains no recording must be
 * removed.
 */

export interface Exception {
  wire: string;
  name: RegExp;
  complaint: RegExp;
  reason: string;
}

const compaction = 'compaction is refused by this gateway; both clients keep its summary in ways of their own';
const cutCall =
  'the arguments of a call that `max_tokens` cut are `{}` here, repaired by one client, and dropped by the other';

export const answerExceptions: readonly Exception[] = [
  { wire: 'anthropic', name: /anthropic-compaction/, complaint: /^AI SDK|^the Anthropic SDK/, reason: compaction },
  {
    wire: 'anthropic',
    name: /anthropic-mcp\.1\.chunks/,
    complaint: /^the Anthropic SDK/,
    reason: 'the SDK does not assemble arguments of tools on MCP servers, which the gateway refuses',
  },
  {
    wire: 'anthropic',
    name: /spliced-message-start/,
    complaint: /in the middle of a call/,
    reason:
      'the upstream began anew in the middle of a call: half a call must not be run, so the answer ends with an error',
  },
  {
    wire: 'openai-responses',
    name: /^openai-responses\/openai-(phase|shell-container)\.1\.chunks/,
    complaint: /^text is/,
    reason: 'the recording was shortened by hand: its pieces lack text of its end',
  },
  { wire: 'anthropic', name: /incomplete_partial_json/, complaint: /^AI SDK|^the Anthropic SDK/, reason: cutCall },
];

export const requestExceptions: readonly Exception[] = [
  {
    wire: 'bedrock-converse',
    name: /bedrock_.*_cites_tool_results_returned_as_search_results/,
    complaint: /^messages became/,
    reason: 'the result is a `searchResult`, which the reader leaves out',
  },
  {
    wire: 'anthropic',
    name: /_web_search_with_anthropic_/,
    complaint: /^the provider is asked for its own search/,
    reason: 'the gateway searches: a provider gets a function instead of its own search',
  },
  {
    wire: 'openai-chat',
    name: /mistral_.*_returns_text_and_attachments_from_tools/,
    complaint: /I have the results\./,
    reason:
      'Mistral refuses a user message directly after a result (quirk `assistant_after_tool`), so an assistant message stands between them',
  },
  {
    wire: 'openai-chat',
    name: /(openrouter|ollama)_.*_preserves_strings_returned_from_tools/,
    complaint: /the image of this result follows/,
    reason:
      'these two take images inside a result; most providers do not, so on this wire they follow in a user message',
  },
];

const ownSearch = 'the gateway searches itself, before the request goes to a provider';

/** Exceptions for recordings of OpenAI's APIs that are used as traffic of the gateway's clients. */
export const inwardAnswerExceptions: readonly Exception[] = answerExceptions.flatMap((exception) =>
  exception.wire === 'openai-responses' ? [{ ...exception, complaint: /^(streamed|whole): text is/ }] : [],
);
export const inwardRequestExceptions: readonly Exception[] = [
  ...requestExceptions.filter(({ wire }) => wire === 'openai-chat'),
  {
    wire: 'openai-chat',
    name: /./,
    complaint: /^system became .*Answer with a single JSON object/,
    reason: 'the system prompt requests JSON of any form, on every model',
  },
  { wire: 'openai-responses', name: /./, complaint: /web_search_20250305/, reason: ownSearch },
  {
    wire: 'openai-chat',
    name: /mistral_.*_preserves_thinking_signatures/,
    complaint: /must be one of text, refusal/,
    reason: 'Mistral’s own parts of thinking inside a content are refused by name',
  },
];
