/**
 * Bounds the tokens of a prompt before any provider has counted it. A token of text has at least one byte. The bound
 * uses the form that the model gets, because some providers normalize text or escape JSON.
 */

import { estimateTokens, type PromptUsage } from '../../accounting/usage.ts';
import type { CacheWrites } from '../../accounting/price.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { utf8Bytes } from '../../accounting/event-bytes.ts';

export interface PromptContent {
  images: number;
  /** Base64 bytes in the request, which the model does not read as text. */
  mediaBytes: number;
  /**
   * Whether a part's tokens have no known bound, as in a PDF. The hold then covers the whole context unless a count
   * replaces it.
   */
  unbounded: boolean;
  /** Additional bytes of the prompt's JSON if a provider escapes all non-ASCII characters. */
  escapeBytes: number;
  /** UTF-8 bytes of the prompt's texts minus their length in UTF-16 units. */
  wideBytes: number;
  /** Tokens of tools of predefined types, which the provider describes with its own text. */
  typedToolTokens: number;
  /** Bytes of earlier thinking. Providers bill it as input, but may omit it from a count. */
  thinkingBytes: number;
  maySearch: boolean;
  /** Number of searches before the first request to the model; `foundTokens` bounds the tokens of their results. */
  searchesFirst: number;
  foundTokens: number;
  estimatedTokens: number;
  /** Part of `estimatedTokens` for recordings. */
  recordingTokens: number;
}

/** Maximum tokens of one image, unless the catalog has an exception. */
const MAX_IMAGE_TOKENS = 6_000;
const TYPICAL_IMAGE_TOKENS = 1_500;
const TYPICAL_DOCUMENT_TOKENS = 3_000;
/** Base64 characters of a recording per token. Gemini counts 32 tokens for a second, or about 16,000 bytes of MP3. */
const BASE64_CHARACTERS_PER_AUDIO_TOKEN = 667;
/** Assumed maximum of the tokens that a provider adds to a prompt, such as its chat template and tool instructions. */
const PROMPT_ADDED_TOKENS = 1_024;
/**
 * Maximum tokens of a tool of a predefined type, and of a set of these tools. Computer use takes 735 tokens plus
 * instructions; browser tools take up to 6,700.
 */
const TYPED_TOOL_TOKENS = 1_500;
const TOOLSET_TOKENS = 7_500;
/** Margins of a provider's count: Anthropic states that its counts may differ by "a small amount". */
const COUNT_MARGIN_PERCENT = 2;
const PROMPT_MARGIN_TOKENS = 64;

/** Block types that the model reads as the text that was sent. */
const TEXT_LIKE = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'tool_removal',
]);
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
    recordingTokens: 0,
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

/** Returns the estimated usage of a prompt of at most `most` tokens. */
export function estimatedPrompt({ estimatedTokens, recordingTokens }: PromptContent, most = Infinity): PromptUsage {
  const tokens = Math.min(estimatedTokens, most);
  const audioInputTokens = Math.min(recordingTokens, tokens) || undefined;
  return { inputTokens: tokens - (audioInputTokens ?? 0), audioInputTokens };
}

/**
 * Returns the upper bound on the prompt's tokens, from the size of the encoded request.
 * @param encodedBody the request as sent to the provider, including media
 */
export function promptBound(
  content: PromptContent,
  encodedBody: string,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const contextLength = endpoint.contextLength ?? Infinity;
  if (content.unbounded) return contextLength;
  // The sent JSON may be longer than the client's: references in schemas are replaced by the parts to which they refer.
  const sentWideBytes = Buffer.byteLength(encodedBody) - encodedBody.length - content.wideBytes;
  const escapeBytes = Math.max(content.escapeBytes, 4 * sentWideBytes);
  const bytes = Math.max(0, textBytesBound(encodedBody) - content.mediaBytes) + escapeBytes;
  return Math.min(bytes + imageTokens(content, endpoint) + addedTokens(content), contextLength);
}

/** Returns the upper bound after a local count of the prompt's texts. */
export function textBound(
  textTokens: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const tokens = textTokens + imageTokens(content, endpoint) + content.thinkingBytes + addedTokens(content);
  return Math.min(tokens, endpoint.contextLength ?? Infinity);
}

/** Returns the upper bound after the provider's own count. */
export function countedBound(
  counted: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined },
): number {
  const withMargin = Math.ceil((counted * (100 + COUNT_MARGIN_PERCENT)) / 100) + PROMPT_MARGIN_TOKENS;
  return Math.min(withMargin + content.thinkingBytes + content.foundTokens, endpoint.contextLength ?? Infinity);
}

/** Returns the longest lifetime of the caches that an encoded request may write. */
export function requestedCacheWrites(encodedBody: string): CacheWrites {
  if (!encodedBody.includes('"cache_control"') && !encodedBody.includes('"cachePoint"')) return 'none';
  return encodedBody.includes('"1h"') ? '1h' : '5m';
}

/**
 * Returns whether every requested cache lasts an hour. The JSON of a tool's arguments or schema may match by mistake;
 * texts cannot, because their quotes are escaped.
 */
export function writesForAnHour(encodedBody: string): boolean {
  if (!encodedBody.includes('"1h"')) return false;
  const marks = encodedBody.match(/"(?:cache_control|cachePoint)":\{/g)?.length ?? 0;
  const hours = encodedBody.match(/"ttl":"1h"/g)?.length ?? 0;
  return marks > 0 && hours === marks;
}

/**
 * Number of characters that are normalized in one call. The time grows with the square of the length of a run of
 * accents.
 */
const WINDOW_CHARACTERS = 2_000;

/** Returns the size in bytes of the text or of its normalized form, whichever is larger. */
export function textBytesBound(text: string): number {
  const bytes = Buffer.byteLength(text);
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
 * Adds media and thinking to `into`, and returns the bytes that the model reads as text, without the JSON around them.
 */
function measureContent(value: unknown, into: PromptContent): number {
  if (typeof value === 'string') return textBytes(value, into);
  if (!Array.isArray(value)) return 0;
  let bytes = 0;
  // Fields that do not belong to a block's type are not validated, so they may contain null.
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
  // `content` counts only in results of tools. In the other blocks that reach this line, the model does not read it.
  return textBytes(text, into) + input + (block.type === 'tool_result' ? measureContent(block['content'], into) : 0);
}

/**
 * Returns the bytes of a value's JSON, and adds the growth by escapes to `into`. A character above ASCII needs at most
 * six bytes for each UTF-16 unit.
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
 * Measures a recording. Its duration is unknown without decoding, and providers differ in tokens per second, so its
 * tokens are unbounded.
 */
function measureAudio(source: unknown, into: PromptContent): number {
  const sent = base64Bytes(source);
  into.unbounded = true;
  into.mediaBytes += sent;
  const tokens = Math.ceil(sent / BASE64_CHARACTERS_PER_AUDIO_TOKEN);
  into.estimatedTokens += tokens;
  into.recordingTokens += tokens;
  return 0;
}

function textBytes(text: unknown, into: PromptContent): number {
  const bytes = utf8Bytes(text);
  if (typeof text === 'string') into.wideBytes += bytes - text.length;
  return bytes;
}

/** Returns the size of the Base64 text. An image given by its URL may contain any text in `data`, which is ignored. */
function base64Bytes(source: unknown): number {
  const { type, data } = (source ?? {}) as { type?: string; data?: unknown };
  return type === 'base64' && typeof data === 'string' ? data.length : 0;
}
