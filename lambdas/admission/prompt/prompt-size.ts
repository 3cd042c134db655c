/**
 * Measures a prompt before any provider has counted it. A token of text has at least one byte, so the number of bytes
 * bounds the text's tokens. The bound uses the form that the model gets, because some providers normalize the text or
 * escape its JSON. Bytes do not bound media. An image has a declared maximum. The tokens of a PDF, a recording, a file
 * that the provider fetches, or an unknown block are unknown. Then the provider must count the prompt, or the hold
 * covers the model's whole context.
 */

import { estimateTokens } from '../../accounting/usage.ts';
import type { CacheWrites } from '../../accounting/price.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { utf8Bytes } from '../../accounting/event-bytes.ts';

/** Measured facts of a prompt. */
export interface PromptContent {
  images: number;
  /** Base64 bytes in the request that the model does not read as text. */
  mediaBytes: number;
  /** Whether the prompt has a part whose tokens have no known bound, such as a PDF. */
  unbounded: boolean;
  /** Additional bytes of the prompt's JSON if a provider escapes all non-ASCII characters. */
  escapeBytes: number;
  /** Bytes of the prompt's texts above one for each character. */
  wideBytes: number;
  /** Tokens of tools of predefined types, which the provider describes to the model with its own text. */
  typedToolTokens: number;
  /** Bytes of earlier thinking. Providers bill it as input, but may omit it from a count. */
  thinkingBytes: number;
  /** Whether web searches may lead to several requests to the provider. */
  maySearch: boolean;
  /** Number of searches before the first request to the model, and the maximum tokens of their results. */
  searchesFirst: number;
  foundTokens: number;
  /** Estimated size of the prompt in tokens. */
  estimatedTokens: number;
}

/** Maximum tokens of one image, more than most providers count for the largest size. The catalog has the exceptions. */
const MAX_IMAGE_TOKENS = 6_000;
const TYPICAL_IMAGE_TOKENS = 1_500;
const TYPICAL_DOCUMENT_TOKENS = 3_000;
/**
 * Base64 characters of a recording per token. Gemini counts 32 tokens for a second, which is 16,000 bytes of typical
 * MP3.
 */
const BASE64_CHARACTERS_PER_AUDIO_TOKEN = 667;
/**
 * Assumed maximum of the tokens that a provider adds to a prompt: chat template, system prompt and tool instructions.
 */
const PROMPT_ADDED_TOKENS = 1_024;
/**
 * Maximum tokens of a tool of a predefined type. A computer-use tool takes 735 tokens plus a few hundred for
 * instructions. A whole set of browser tools takes up to 6,700.
 */
const TYPED_TOOL_TOKENS = 1_500;
const TOOLSET_TOKENS = 7_500;
/**
 * Margins for counts by a provider. Anthropic states that its counts are estimates that may differ by "a small amount".
 */
const COUNT_MARGIN_PERCENT = 2;
const PROMPT_MARGIN_TOKENS = 64;

/**
 * Block types that the model reads exactly as the text that was sent. A block of any other type may take more tokens
 * than its bytes.
 */
const TEXT_LIKE = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'tool_removal',
]);
/** Document sources that the model reads exactly as the text that was sent. */
const TEXT_SOURCES = new Set(['text', 'content']);

export function measurePrompt(request: MessagesRequest): PromptContent {
  const content: PromptContent = {
    images: 0,
    mediaBytes: 0,
    unbounded: false,
    escapeBytes: 0,
    wideBytes: 0,
    typedToolTokens: 0,
    thinkingBytes: 0,
    maySearch: false,
    searchesFirst: 0,
    foundTokens: 0,
    estimatedTokens: 0,
  };
  let readBytes = request.tools?.length ? measurePromptJson(request.tools, content) : 0;
  const format = outputFormat(request);
  if (format) readBytes += measurePromptJson(format, content);
  readBytes += measureContent(request.system, content);
  for (const message of request.messages) readBytes += measureContent(message.content, content);
  for (const { type } of request.tools ?? []) content.typedToolTokens += typedToolTokens(type);
  content.estimatedTokens += estimateTokens(readBytes) + content.images * TYPICAL_IMAGE_TOKENS;
  return content;
}

/**
 * Returns the maximum number of tokens that an endpoint can count for a prompt.
 * @param encodedBody the request as sent to the provider, including media
 */
export function promptBound(
  content: PromptContent,
  encodedBody: string,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const contextLength = endpoint.contextLength ?? Infinity;
  if (content.unbounded) return contextLength;
  // The JSON that is sent may be longer than the client's, because references in schemas are replaced by their parts.
  const sentWideBytes = Buffer.byteLength(encodedBody) - encodedBody.length - content.wideBytes;
  const escapeBytes = Math.max(content.escapeBytes, 4 * sentWideBytes);
  const bytes = Math.max(0, textBytesBound(encodedBody) - content.mediaBytes) + escapeBytes;
  return Math.min(bytes + imageTokens(content, endpoint) + addedTokens(content), contextLength);
}

/**
 * Returns the bound after a local count of the prompt's texts. It adds images, earlier thinking, and the text that the
 * provider adds.
 */
export function textBound(
  textTokens: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const tokens = textTokens + imageTokens(content, endpoint) + content.thinkingBytes + addedTokens(content);
  return Math.min(tokens, endpoint.contextLength ?? Infinity);
}

/** Returns the upper bound on the prompt's tokens after the provider's own count. */
export function countedBound(
  counted: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined },
): number {
  const withMargin = Math.ceil((counted * (100 + COUNT_MARGIN_PERCENT)) / 100) + PROMPT_MARGIN_TOKENS;
  return Math.min(withMargin + content.thinkingBytes + content.foundTokens, endpoint.contextLength ?? Infinity);
}

/**
 * Returns the longest lifetime of the caches that an encoded request may write. A request for a cache contains
 * `cache_control` or, at Amazon, `cachePoint`.
 */
export function requestedCacheWrites(encodedBody: string): CacheWrites {
  if (!encodedBody.includes('"cache_control"') && !encodedBody.includes('"cachePoint"')) return 'none';
  return encodedBody.includes('"1h"') ? '1h' : '5m';
}

/**
 * Returns whether an encoded request keeps every cache for an hour. A client's text cannot match these patterns,
 * because its quotes are escaped. The JSON of a tool's arguments or schema can.
 */
export function writesForAnHour(encodedBody: string): boolean {
  if (!encodedBody.includes('"1h"')) return false;
  const marks = encodedBody.match(/"(?:cache_control|cachePoint)":\{/g)?.length ?? 0;
  const hours = encodedBody.match(/"ttl":"1h"/g)?.length ?? 0;
  return marks > 0 && hours === marks;
}

/**
 * Number of characters that are normalized in one call, because the time to normalize grows with the square of a run of
 * accents.
 */
const WINDOW_CHARACTERS = 2_000;

/**
 * Returns an upper bound on the bytes that a model reads: the size of the text or of its normalized form, whichever is
 * larger. For example, a ligature of three bytes can expand to a phrase.
 */
export function textBytesBound(text: string): number {
  const bytes = Buffer.byteLength(text);
  // ASCII text is its own normal form.
  if (bytes === text.length) return bytes;
  let sum = 0;
  for (let start = 0; start < text.length; start += WINDOW_CHARACTERS) {
    const window = text.slice(start, start + WINDOW_CHARACTERS);
    sum += Math.max(Buffer.byteLength(window), Buffer.byteLength(window.normalize('NFKC')));
  }
  return sum;
}

function imageTokens(
  { images }: PromptContent,
  { quirks }: { quirks: { max_image_tokens?: number | undefined } },
): number {
  return images * (quirks.max_image_tokens ?? MAX_IMAGE_TOKENS);
}

function addedTokens({ typedToolTokens, foundTokens }: PromptContent): number {
  return PROMPT_ADDED_TOKENS + typedToolTokens + foundTokens;
}

function typedToolTokens(type: string | null | undefined): number {
  if (!type || type === 'custom') return 0;
  return type.includes('_toolset_') ? TOOLSET_TOKENS : TYPED_TOOL_TOKENS;
}

/**
 * Measures the content of a message, and adds media and thinking to `into`.
 * @returns number of bytes that the model reads as text (words, arguments and results), without the JSON around them
 */
function measureContent(value: unknown, into: PromptContent): number {
  if (typeof value === 'string') return textBytes(value, into);
  if (!Array.isArray(value)) return 0;
  let bytes = 0;
  // Fields that a block's type does not have are not validated, so they may contain null.
  for (const block of value as (Block | null)[]) bytes += block === null ? 0 : measureBlock(block, into);
  return bytes;
}

function measureBlock(block: Block, into: PromptContent): number {
  if (block.type === 'image') {
    into.images += 1;
    into.mediaBytes += base64Bytes(block['source']);
    return 0;
  }
  if (block.type === 'document') return measureDocument(block, into);
  if (block.type === 'audio') return measureAudio(block['source'], into);
  if (block.type === 'search_result')
    return textBytes(block['source'], into) + textBytes(block['title'], into) + measureContent(block['content'], into);
  if (!TEXT_LIKE.has(block.type)) into.unbounded = true;
  if (block.type === 'thinking') into.thinkingBytes += utf8Bytes(block['thinking']) + utf8Bytes(block['signature']);
  if (block.type === 'redacted_thinking') into.thinkingBytes += utf8Bytes(block['data']);
  const text = ['text', 'thinking', 'data'].map((field) => block[field]).find((value) => typeof value === 'string');
  const input = block['input'] === undefined ? 0 : measurePromptJson(block['input'], into);
  // For other types, `content` is a field that the model does not read.
  return textBytes(text, into) + input + (block.type === 'tool_result' ? measureContent(block['content'], into) : 0);
}

/**
 * Returns the bytes of a value's JSON, and adds the growth by escapes to `into`. A two-byte character becomes an escape
 * of six bytes. A longer character becomes at most six bytes for each UTF-16 unit.
 */
function measurePromptJson(value: unknown, into: PromptContent): number {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  into.escapeBytes += 4 * (bytes - json.length);
  return bytes;
}

function measureDocument(block: Block, into: PromptContent): number {
  const source = block['source'] as { type?: string; data?: unknown; content?: unknown } | undefined;
  const named = textBytes(block['title'], into) + textBytes(block['context'], into);
  if (!source?.type || !TEXT_SOURCES.has(source.type)) {
    into.unbounded = true;
    into.mediaBytes += base64Bytes(source);
    into.estimatedTokens += TYPICAL_DOCUMENT_TOKENS;
    return named;
  }
  return named + textBytes(source.data, into) + measureContent(source.content, into);
}

/**
 * Measures a recording. Its duration is unknown without decoding, and the number of tokens per second depends on the
 * provider, so its tokens are unbounded.
 */
function measureAudio(source: unknown, into: PromptContent): number {
  const sent = base64Bytes(source);
  into.unbounded = true;
  into.mediaBytes += sent;
  into.estimatedTokens += Math.ceil(sent / BASE64_CHARACTERS_PER_AUDIO_TOKEN);
  return 0;
}

/** Returns the bytes of a text, and adds its bytes above one for each character to `into`. */
function textBytes(text: unknown, into: PromptContent): number {
  const bytes = utf8Bytes(text);
  if (typeof text === 'string') into.wideBytes += bytes - text.length;
  return bytes;
}

/**
 * Returns the size of data that is sent as Base64. An image given by its URL may contain any text in `data`, which is
 * ignored.
 */
function base64Bytes(source: unknown): number {
  const { type, data } = (source ?? {}) as { type?: string; data?: unknown };
  return type === 'base64' && typeof data === 'string' ? data.length : 0;
}
