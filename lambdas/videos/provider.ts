/** Requests to the provider of a video: short answers as a whole, files as they arrive. */

import { FetchError } from '../platform/fetch-faults.ts';
import { isOnLambda } from '../platform/environment.ts';
import { openPublic } from '../platform/safe-fetch.ts';
import { readText, UpstreamError } from '../providers/upstream-http.ts';
import type { Polled, VideoHttpAnswer, VideoHttpRequest } from '../providers/video/wire.ts';
import { connect } from '../routing/connection.ts';
import type { VideoCandidate } from '../routing/video-candidates.ts';

/** Where a file is, as a provider says. */
export type FilePlace = Extract<Polled, { state: 'completed' }>['files'][number];

export interface OpenedFile {
  mediaType: string;
  body: AsyncIterable<Buffer>;
}

/** A file is larger than any that is kept. */
export class FileTooLargeError extends Error {
  override name = 'FileTooLargeError';
}

const ANSWER_WITHIN_MS = 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MEDIA_TYPES = ['video/*', 'application/octet-stream', 'binary/octet-stream'];
/** What most of them send, and what is believed of one that does not say. */
const USUAL_MEDIA_TYPE = 'video/mp4';
const VIDEO = /^video\/[a-z0-9.+-]{1,60}$/;

/** @throws {UpstreamError} */
export async function askProvider(
  candidate: VideoCandidate,
  request: VideoHttpRequest,
  remainingMs: number,
): Promise<VideoHttpAnswer> {
  const signal = AbortSignal.timeout(wholeMs(Math.min(ANSWER_WITHIN_MS, remainingMs)));
  const { status, headers, body } = await connect(candidate, request, signal).send(request.body ?? '');
  return { status, headers: singleValues(headers), text: await readText(body, MAX_ANSWER_BYTES) };
}

/**
 * @throws {UpstreamError | FetchError} now or while it is read, {FileTooLargeError}
 */
export async function openFile(candidate: VideoCandidate, place: FilePlace, remainingMs: number): Promise<OpenedFile> {
  const timeoutMs = wholeMs(remainingMs);
  const file =
    'path' in place ? await openOwn(candidate, place.path, timeoutMs) : await openAnywhere(place.url, timeoutMs);
  return { mediaType: VIDEO.test(file.mediaType) ? file.mediaType : USUAL_MEDIA_TYPE, body: bounded(file.body) };
}

/** A timer takes no fraction. */
const wholeMs = (ms: number) => Math.max(1, Math.floor(ms));

/** On the provider itself, with its credential. */
async function openOwn(candidate: VideoCandidate, path: string, timeoutMs: number): Promise<OpenedFile> {
  const request = connect(candidate, { method: 'GET', path, headers: {} }, AbortSignal.timeout(timeoutMs));
  const { status, headers, body } = await request.send('');
  if (status === 200) return { mediaType: String(headers['content-type']).split(';')[0]!.trim().toLowerCase(), body };
  await body.return();
  throw new UpstreamError('malformed', `The provider answered with status ${status} instead of a file`);
}

async function openAnywhere(url: string, timeoutMs: number): Promise<OpenedFile> {
  const rules = { maxBytes: MAX_FILE_BYTES, timeoutMs, mediaTypes: MEDIA_TYPES, allowLoopback: !isOnLambda() };
  const opened = await openPublic(url, rules);
  if (opened.ok) return opened;
  if (opened.reason === 'too_large') throw new FileTooLargeError();
  throw new FetchError(opened.reason);
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES) throw new FileTooLargeError();
    yield chunk;
  }
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
}
