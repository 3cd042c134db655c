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
/** Matches text, whose white space was removed, if it has no control characters and no invalid UTF-8. */
const READABLE = /^[^\p{Cc}\uFFFD]*$/u;

/**
 * Yields the chunks of audio. If the response is text, such as JSON or a web page, yields it as an error.
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

/**
 * Decodes a piece of audio.
 * @throws {UpstreamError} if the value is not base64
 */
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

/** Maximum size of a WAV file's header. Besides the format, it may have chunks with texts. */
const MAX_WAV_HEADER_BYTES = 64 * 1024;
const CHUNK_HEAD_BYTES = 8;
/** Minimum length that counts as unknown. Programs write such a length, or zero, before they know the real length. */
const MIN_UNKNOWN_LENGTH = 0x7f_ff_f0_00;

/**
 * Yields only the samples of a WAV file: chunks after them would sound like a click.
 * @throws {UpstreamError} as `dataChunkIn`
 */
export async function* samplesOfWav(parts: AsyncIterable<SpeechPart>): AsyncGenerator<SpeechPart, void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let left = Infinity;
  for await (const { event, ...part } of parts) {
    let samples = event;
    if (event && head) {
      head = Buffer.concat([head, event]);
      const data = dataChunkIn(head);
      samples = data && head.subarray(data.start);
      if (data) [head, left] = [undefined, data.length];
    }
    const kept = samples?.subarray(0, left);
    left -= kept?.length ?? 0;
    yield kept && kept.length > 0 ? { ...part, event: kept } : part;
  }
}

/**
 * Returns where the samples begin, and their length; undefined while the header is incomplete.
 * @throws {UpstreamError} for a file that is not a WAV file, or has too long a header
 */
function dataChunkIn(file: Buffer): { start: number; length: number } | undefined {
  if (file.length < 12) return undefined;
  let at = 12;
  while (file.toString('latin1', 0, 4) === 'RIFF' && at < MAX_WAV_HEADER_BYTES) {
    if (at + CHUNK_HEAD_BYTES > file.length) return undefined;
    const length = file.readUInt32LE(at + 4);
    const start = at + CHUNK_HEAD_BYTES;
    if (file.toString('latin1', at, at + 4) === 'data') {
      return { start, length: length === 0 || length >= MIN_UNKNOWN_LENGTH ? Infinity : length };
    }
    at = start + length + (length % 2);
  }
  throw new UpstreamError('malformed', 'The provider sent sound that is not a WAV file');
}
