/**
 * Measures a prompt before any provider has counted it. A token of text has at least one byte, so the bytes of the text
 * bound it. The form that the model gets decides: some providers normalize the text, or write JSON with escapes. Media
 * have no such bound. An image has a declared maximum. The tokens of a PDF, a recording, a file that the provider
 * fetches, or an unknown block are not known. In those cases the provider must count, or the model's whole context is
 * held.
 */

import { estimateTokens } from '../../accounting/usage.ts';
import type { CacheWrites } from '../../accounting/price.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { utf8Bytes } from '../../accounting/event-bytes.ts';

/** Measured facts of a prompt. */
export interface PromptContent {
  images: number;
  /** Base64 in the request that is not read as text. */
  mediaBytes: number;
  /** It has a part that bytes do not bound. */
  unbounded: boolean;
  /** Bytes that its JSON gains if a provider writes it with escapes for all non-ASCII characters. */
  escapeBytes: number;
  /** Tokens of tools that the provider describes to the model with its own text. */
  typedToolTokens: number;
  /** Earlier thinking, which providers bill as input and may leave out of a count. */
  thinkingBytes: number;
  /** Searches may lead to several requests. */
  maySearch: boolean;
  /** Searches before the first request to the model, and the maximum tokens of their results. */
  searchesFirst: number;
  foundTokens: number;
  /** Its probable size. */
  estimatedTokens: number;
}

/** More than most providers count for one image at its largest size. The catalog has the exceptions. */
const MAX_IMAGE_TOKENS = 6_000;
const TYPICAL_IMAGE_TOKENS = 1_500;
const TYPICAL_DOCUMENT_TOKENS = 3_000;
/** Gemini counts 32 tokens for a second, which is 16,000 bytes of typical MP3. */
const BASE64_CHARACTERS_PER_AUDIO_TOKEN = 667;
/** Chat templates, default system prompts and tool instructions that a provider adds. */
const PROMPT_ADDED_TOKENS = 1_024;
/**
 * A computer-use tool takes 735 tokens plus a few hundred for instructions; a whole set of browser tools takes up to
 * 6,700.
 */
const TYPED_TOOL_TOKENS = 1_500;
const TOOLSET_TOKENS = 7_500;
/** Providers call their own counts estimates, "a small amount" off. */
const COUNT_MARGIN_PERCENT = 2;
const PROMPT_MARGIN_TOKENS = 64;

/** Blocks that the model reads as the text that was sent. Any other block may be larger than it looks. */
const TEXT_LIKE = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'search_result',
  'server_tool_use',
  'tool_removal',
]);
/** Blocks whose `content` is sent with them. In any other block it is an unread field, and may not hide a prompt. */
const NESTING = new Set(['tool_result', 'search_result']);
/** Document sources that the model reads as the text that was sent. */
const TEXT_SOURCES = new Set(['text', 'content']);

export function measurePrompt(request: MessagesRequest): PromptContent {
  const content: PromptContent = {
    images: 0,
    mediaBytes: 0,
    unbounded: false,
    escapeBytes: 0,
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
 * Maximum tokens that an endpoint can count for a prompt.
 * @param encodedBody the request as sent upstream, media included
 */
export function promptBound(
  content: PromptContent,
  encodedBody: string,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const contextLength = endpoint.contextLength ?? Infinity;
  if (content.unbounded) return contextLength;
  const textBytes = Math.max(0, normalisedBytes(encodedBody) - content.mediaBytes) + content.escapeBytes;
  return Math.min(textBytes + imageTokens(content, endpoint) + addedTokens(content), contextLength);
}

/** The bound after a local count of the prompt's texts. Images and the provider's additions are added here. */
export function textBound(
  textTokens: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined; quirks: { max_image_tokens?: number | undefined } },
): number {
  const tokens = textTokens + imageTokens(content, endpoint) + content.thinkingBytes + addedTokens(content);
  return Math.min(tokens, endpoint.contextLength ?? Infinity);
}

/** The bound after the provider's own count. */
export function countedBound(
  counted: number,
  content: PromptContent,
  endpoint: { contextLength?: number | undefined },
): number {
  const withMargin = Math.ceil((counted * (100 + COUNT_MARGIN_PERCENT)) / 100) + PROMPT_MARGIN_TOKENS;
  return Math.min(withMargin + content.thinkingBytes + content.foundTokens, endpoint.contextLength ?? Infinity);
}

/**
 * The cache writes that an encoded request asks for. Every such request contains one of these words; the second one is
 * Amazon's.
 */
export function requestedCacheWrites(encodedBody: string): CacheWrites {
  if (!encodedBody.includes('"cache_control"') && !encodedBody.includes('"cachePoint"')) return 'none';
  return encodedBody.includes('"1h"') ? '1h' : '5m';
}

/** Normalizing takes time by the square of a run of accents, so it is done in pieces of this many characters. */
const WINDOW_CHARACTERS = 2_000;

/** Normal forms may be longer than the text: a ligature of three bytes can expand to a sentence. */
function normalisedBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  // ASCII text has only one form.
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

/** @returns bytes that the model reads as text (words, arguments and results), without the JSON around them */
function measureContent(value: unknown, into: PromptContent): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (!Array.isArray(value)) return 0;
  let bytes = 0;
  // Fields that a block's type does not have are not checked, so they may contain null.
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
  if (!TEXT_LIKE.has(block.type)) into.unbounded = true;
  if (block.type === 'thinking') into.thinkingBytes += utf8Bytes(block['thinking']) + utf8Bytes(block['signature']);
  if (block.type === 'redacted_thinking') into.thinkingBytes += utf8Bytes(block['data']);
  const words = ['text', 'thinking', 'data'].map((field) => block[field]).find((value) => typeof value === 'string');
  const input = block['input'] === undefined ? 0 : measurePromptJson(block['input'], into);
  return utf8Bytes(words) + input + (NESTING.has(block.type) ? measureContent(block['content'], into) : 0);
}

/**
 * A two-byte character becomes an escape of six bytes. A character of three or four bytes becomes at most six for each
 * UTF-16 unit.
 */
function measurePromptJson(value: unknown, into: PromptContent): number {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  into.escapeBytes += 4 * (bytes - json.length);
  return bytes;
}

function measureDocument(block: Block, into: PromptContent): number {
  const source = block['source'] as { type?: string; data?: unknown; content?: unknown } | undefined;
  const named = utf8Bytes(block['title']) + utf8Bytes(block['context']);
  if (!source?.type || !TEXT_SOURCES.has(source.type)) {
    into.unbounded = true;
    into.mediaBytes += base64Bytes(source);
    into.estimatedTokens += TYPICAL_DOCUMENT_TOKENS;
    return named;
  }
  return named + utf8Bytes(source.data) + measureContent(source.content, into);
}

/** Its duration is unknown without decoding it, and each provider counts different tokens for a second. */
function measureAudio(source: unknown, into: PromptContent): number {
  const sent = base64Bytes(source);
  into.unbounded = true;
  into.mediaBytes += sent;
  into.estimatedTokens += Math.ceil(sent / BASE64_CHARACTERS_PER_AUDIO_TOKEN);
  return 0;
}

/** Counts only data that is sent as base64: an image given by its URL may carry any `data`, as text. */
function base64Bytes(source: unknown): number {
  const { type, data } = (source ?? {}) as { type?: string; data?: unknown };
  return type === 'base64' && typeof data === 'string' ? data.length : 0;
}
