/** Sends requests to the provider of a video. Reads short responses as a whole, and files as streams. */

import { FetchError } from '../../platform/fetch/fetch-faults.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { openPublic, redirectStatuses } from '../../platform/fetch/safe-fetch.ts';
import { readResponse } from '../../providers/http/read-text.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { Polled, VideoHttpAnswer, VideoHttpRequest } from '../../providers/video/wire.ts';
import { connect } from '../../routing/connection.ts';
import type { VideoCandidate } from '../../routing/video-candidates.ts';

/** Location of a file, as reported by a provider. */
export type FilePlace = Extract<Polled, { state: 'completed' }>['files'][number];

export interface OpenedFile {
  mediaType: string;
  body: AsyncIterable<Buffer>;
}

/** Thrown if a file is larger than the maximum size that the gateway stores. */
export class FileTooLargeError extends Error {
  override name = 'FileTooLargeError';
}

const ANSWER_WITHIN_MS = 60_000;
const MAX_VIDEO_ANSWER_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MEDIA_TYPES = ['video/*', 'application/octet-stream', 'binary/octet-stream'];
/** Media type that is assumed if a provider does not name a video type: the most common type. */
const DEFAULT_MEDIA_TYPE = 'video/mp4';
const TEXT = /^text\/|json$|xml$/;
const MAX_OWN_REDIRECTS = 3;
const VIDEO = /^video\/[a-z0-9.+-]{1,60}$/;

/**
 * Sends a request to the provider, and reads the whole response.
 * @throws {UpstreamError}
 */
export async function callVideoProvider(
  candidate: VideoCandidate,
  request: VideoHttpRequest,
  remainingMs: number,
): Promise<VideoHttpAnswer> {
  const signal = AbortSignal.timeout(wholeMs(Math.min(ANSWER_WITHIN_MS, remainingMs)));
  const response = await connect(candidate, request, signal).send(request.body ?? '');
  const { status, headers } = response;
  return { status, headers: singleValues(headers), text: await readResponse(response, MAX_VIDEO_ANSWER_BYTES) };
}

/**
 * Opens a file of a video as a stream.
 * @throws {UpstreamError | FetchError} now, or while the stream is read
 * @throws {FileTooLargeError}
 */
export async function openFile(candidate: VideoCandidate, place: FilePlace, remainingMs: number): Promise<OpenedFile> {
  const timeoutMs = wholeMs(remainingMs);
  const file =
    'path' in place ? await openOwn(candidate, place.path, timeoutMs) : await openAnywhere(place.url, timeoutMs);
  return { mediaType: VIDEO.test(file.mediaType) ? file.mediaType : DEFAULT_MEDIA_TYPE, body: boundedFile(file.body) };
}

/** Rounds to whole milliseconds, because `AbortSignal.timeout` accepts no fractions. */
const wholeMs = (ms: number) => Math.max(1, Math.floor(ms));

/**
 * Opens a file at the provider itself, with the provider's credential. If a redirect or a URL leads to another host,
 * that host gets no credential.
 * @param hops remaining redirects within the provider
 * @throws {FileTooLargeError | UpstreamError | FetchError} if the file is too large or cannot be opened
 */
async function openOwn(
  candidate: VideoCandidate,
  path: string,
  timeoutMs: number,
  hops = MAX_OWN_REDIRECTS,
): Promise<OpenedFile> {
  const request = connect(candidate, { method: 'GET', path, headers: {} }, AbortSignal.timeout(timeoutMs));
  const { status, headers, body } = await request.send('');
  const mediaType = String(headers['content-type']).split(';')[0]!.trim().toLowerCase();
  // A response with a text media type is not the video. It contains the URL of the video, or an error message.
  if (status === 200 && !TEXT.test(mediaType)) {
    if (Number(headers['content-length'] ?? 0) <= MAX_FILE_BYTES) return { mediaType, body };
    await body.return();
    throw new FileTooLargeError();
  }
  const text = await readResponse({ status, body }, MAX_VIDEO_ANSWER_BYTES);
  const answer = { status, headers: singleValues(headers), text };
  const address = addressIn(answer, candidate, path);
  if (!address) throw new UpstreamError('malformed', `The provider answered with status ${status} instead of a file`);
  if (address.origin !== new URL(candidate.endpoint.provider.baseUrl).origin) {
    return openAnywhere(address.href, timeoutMs);
  }
  if (hops === 0) throw new UpstreamError('malformed', 'The provider redirected the download of a file too many times');
  return openOwn(
    candidateAtOrigin(candidate, address.origin),
    `${address.pathname}${address.search}`,
    timeoutMs,
    hops - 1,
  );
}

function addressIn(answer: VideoHttpAnswer, { endpoint, wire }: VideoCandidate, path: string): URL | null {
  if (answer.status === 200) return URL.parse(wire.readFileAddress?.(answer) ?? '');
  const { location } = answer.headers;
  if (!redirectStatuses.has(answer.status) || location === undefined) return null;
  return URL.parse(location, `${endpoint.provider.baseUrl}${path}`);
}

/** Returns the same candidate with the origin as its base URL. */
function candidateAtOrigin(candidate: VideoCandidate, origin: string): VideoCandidate {
  const { endpoint } = candidate;
  return { ...candidate, endpoint: { ...endpoint, provider: { ...endpoint.provider, baseUrl: origin } } };
}

async function openAnywhere(url: string, timeoutMs: number): Promise<OpenedFile> {
  const rules = { maxBytes: MAX_FILE_BYTES, timeoutMs, mediaTypes: MEDIA_TYPES, allowLoopback: isOnOwnMachine() };
  const opened = await openPublic(url, rules);
  if (opened.ok) return opened;
  if (opened.reason === 'too_large') throw new FileTooLargeError();
  throw new FetchError(opened.reason);
}

async function* boundedFile(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > MAX_FILE_BYTES) throw new FileTooLargeError();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof FetchError && error.reason === 'too_large' ? new FileTooLargeError() : error;
  }
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]));
}
