/** Reads responses that consist of audio. */

import { isBase64 } from '../../platform/base64.ts';
import { resumed, type PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { OpenedResponse } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { SpeechPart } from './codec.ts';

/** Number of bytes that are read to decide whether a body is text or audio. */
const SNIFFED_BYTES = 64;
const MAX_ERROR_BYTES = 64 * 1024;
const TEXT_TYPE = /^\s*(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i;
const COMPRESSED = /\b(?:gzip|deflate|compress|br|zstd)\b/i;
const OPENING_OF_TEXT = /^\s*[[{<]/;
/** Matches readable text: it has no control characters except white space, and no invalid UTF-8. */
const READABLE = /^[^\p{Cc}\uFFFD]*$/u;

/**
 * Yields the chunks of a response that consists of audio. If the response is JSON or a web page instead, yields its
 * text as an error.
 * @throws {UpstreamError} if the audio is compressed
 */
export async function* soundIn({ headers, body }: OpenedResponse): AsyncGenerator<SpeechPart, void> {
  if (COMPRESSED.test(String(headers['content-encoding'] ?? ''))) {
    throw new UpstreamError('malformed', 'The provider compressed its audio without a request for it');
  }
  const { isText, body: whole } = await sniffText(body, String(headers['content-type'] ?? ''));
  if (isText) {
    yield { error: (await readStart(whole)) || 'The provider sent text in place of sound' };
    return;
  }
  for await (const chunk of whole) if (chunk.length > 0) yield { event: chunk };
}

/** @throws {UpstreamError} if the value is not base64 */
export function soundFromBase64(text: unknown): Buffer {
  if (typeof text !== 'string' || !isBase64(text)) {
    throw new UpstreamError('malformed', 'The provider sent sound that is not base64');
  }
  return Buffer.from(text, 'base64');
}

async function sniffText(
  body: PullIterator<Buffer>,
  contentType: string,
): Promise<{ isText: boolean; body: PullIterator<Buffer> }> {
  const seen: Buffer[] = [];
  let bytes = 0;
  while (bytes < SNIFFED_BYTES) {
    const next = await body.next();
    if (next.done) break;
    seen.push(next.value);
    bytes += next.value.length;
  }
  const start = Buffer.concat(seen).subarray(0, SNIFFED_BYTES).toString('utf8');
  const isText =
    TEXT_TYPE.test(contentType) ||
    (OPENING_OF_TEXT.test(start) && READABLE.test(start.replaceAll(/\s/g, '').slice(0, -1)));
  return { isText, body: resumed(seen, body) };
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES).toString('utf8');
}

/** Puts a header before the first audio. If an error comes first, no header precedes it. */
export async function* withHeader(header: Buffer, parts: AsyncIterable<SpeechPart>): AsyncGenerator<SpeechPart, void> {
  let isSent = false;
  for await (const part of parts) {
    if (part.event && !isSent) {
      isSent = true;
      yield { event: header };
    }
    yield part;
  }
}

/** Removes the first bytes of the audio, which may arrive in several parts. */
export async function* withoutFirstBytes(
  count: number,
  parts: AsyncIterable<SpeechPart>,
): AsyncGenerator<SpeechPart, void> {
  let left = count;
  for await (const { event, ...part } of parts) {
    const kept = event?.subarray(left);
    left -= Math.min(left, event?.length ?? 0);
    yield kept && kept.length > 0 ? { ...part, event: kept } : part;
  }
}
