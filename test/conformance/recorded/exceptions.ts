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

const compaction = 'the gateway refuses compaction, and each client keeps the summary in its own form';
const cutCall =
  '`max_tokens` cut the arguments of a call: the gateway sends `{}`, one client repairs them, and the other drops them';

export const answerExceptions: readonly Exception[] = [
  { wire: 'anthropic', name: /anthropic-compaction/, complaint: /^AI SDK|^the Anthropic SDK/, reason: compaction },
  {
    wire: 'anthropic',
    name: /anthropic-mcp\.1\.chunks/,
    complaint: /^the Anthropic SDK/,
    reason: 'the SDK does not assemble arguments of tools on MCP servers, and the gateway refuses such tools',
  },
  {
    wire: 'anthropic',
    name: /spliced-message-start/,
    complaint: /in the middle of a tool call/,
    reason: 'the provider began the answer again within a call, so the gateway ends the answer with an error',
  },
  {
    wire: 'openai-responses',
    name: /^openai-responses\/openai-(phase|shell-container)\.1\.chunks/,
    complaint: /^text is/,
    reason: 'the recording was shortened by hand, so its pieces lack the end of the text',
  },
  { wire: 'anthropic', name: /incomplete_partial_json/, complaint: /^AI SDK|^the Anthropic SDK/, reason: cutCall },
];

export const requestExceptions: readonly Exception[] = [
  {
    wire: 'bedrock-converse',
    name: /bedrock_.*_cites_tool_results_returned_as_search_results/,
    complaint: /^messages became/,
    reason: 'the tool result is a `searchResult`, which the test does not read',
  },
  {
    wire: 'anthropic',
    name: /_web_search_with_anthropic_/,
    complaint: /^the provider is asked for its own search/,
    reason: 'the gateway searches itself, so the provider gets a function instead of its own search tool',
  },
  {
    wire: 'openai-chat',
    name: /mistral_.*_returns_text_and_attachments_from_tools/,
    complaint: /I have the results\./,
    reason:
      'Mistral refuses a user message directly after a result (quirk `assistant_after_tool`), so the gateway adds an assistant message',
  },
  {
    wire: 'openai-chat',
    name: /(openrouter|ollama)_.*_preserves_strings_returned_from_tools/,
    complaint: /the image of this result follows/,
    reason:
      'OpenRouter and Ollama take images inside a result; the gateway sends images in the next user message, as most providers require',
  },
];

const ownSearch = 'the gateway searches itself, before it sends the request to a provider';

/** Exceptions for recordings of OpenAI's APIs that the test sends through the gateway's client APIs. */
export const inwardAnswerExceptions: readonly Exception[] = answerExceptions.flatMap((exception) =>
  exception.wire === 'openai-responses' ? [{ ...exception, complaint: /^(streamed|whole): text is/ }] : [],
);
export const inwardRequestExceptions: readonly Exception[] = [
  ...requestExceptions.filter(({ wire }) => wire === 'openai-chat'),
  {
    wire: 'openai-chat',
    name: /./,
    complaint: /^system became .*Answer with a single JSON object/,
    reason: 'a request for JSON of any form becomes a sentence of the system prompt, on every model',
  },
  { wire: 'openai-responses', name: /./, complaint: /web_search_20250305/, reason: ownSearch },
];
