import { FetchError } from '../../platform/fetch/fetch-faults.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { alarmOperator } from '../../platform/operator-alarm.ts';
import { openPublic, redirectStatuses, type FetchRules } from '../../platform/fetch/safe-fetch.ts';
import { readResponse } from '../../providers/http/read-text.ts';
import { blamesOperator } from '../../providers/faults/answer-fault.ts';
import { UpstreamError } from '../../providers/http/upstream-error.ts';
import type { Polled, JobHttpAnswer, JobHttpRequest } from '../../providers/job-wire.ts';
import { connect } from '../../routing/connection.ts';
import type { JobCandidate } from '../../routing/job-candidates.ts';
import type { JobKind } from './job-kind.ts';

export type FilePlace = Extract<Polled, { state: 'completed' }>['files'][number];

export interface OpenedFile {
  mediaType: string;
  body: AsyncIterable<Buffer>;
}

/** Thrown if a file is larger than MAX_FILE_BYTES. */
export class FileTooLargeError extends Error {
  override name = 'FileTooLargeError';
}

const ANSWER_WITHIN_MS = 60_000;
const MAX_JOB_ANSWER_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;
const UNNAMED_MEDIA_TYPES = ['application/octet-stream', 'binary/octet-stream'];
const TEXT = /^text\/|json$|xml$/;
const MAX_OWN_REDIRECTS = 3;
const MEDIA_TYPE = /^[a-z]+\/[a-z0-9.+-]{1,60}$/;

/** @throws {UpstreamError} */
export async function callProvider(
  candidate: JobCandidate,
  request: JobHttpRequest,
  remainingMs: number,
): Promise<JobHttpAnswer> {
  const signal = AbortSignal.timeout(wholeMs(Math.min(ANSWER_WITHIN_MS, remainingMs)));
  const response = await connect(candidate, request, signal).send(request.body ?? '');
  const { status, headers } = response;
  return { status, headers: singleValues(headers), text: await readResponse(response, MAX_JOB_ANSWER_BYTES) };
}

/**
 * Opens a file of a job as a stream.
 * @throws {UpstreamError | FetchError} now, or while the stream is read
 * @throws {FileTooLargeError}
 */
export async function openFile(
  candidate: JobCandidate,
  place: FilePlace,
  { mediaType, remainingMs }: Pick<JobKind, 'mediaType'> & { remainingMs: number },
): Promise<OpenedFile> {
  const family = mediaType.split('/')[0]!;
  const rules = { mediaTypes: [`${family}/*`, ...UNNAMED_MEDIA_TYPES], timeoutMs: wholeMs(remainingMs) };
  const file = 'path' in place ? await openOwn(candidate, place.path, rules) : await openAnywhere(place.url, rules);
  const isNamed = file.mediaType.startsWith(`${family}/`) && MEDIA_TYPE.test(file.mediaType);
  return { mediaType: isNamed ? file.mediaType : mediaType, body: boundedFile(file.body) };
}

/** Rules for fetching a file. The media types apply only to files that are not on the provider's own hosts. */
type FileRules = Pick<FetchRules, 'mediaTypes' | 'timeoutMs'>;

/** Rounds to whole milliseconds, because `AbortSignal.timeout` accepts no fractions. */
const wholeMs = (ms: number) => Math.max(1, Math.floor(ms));

/**
 * Opens a file at the provider with the provider's credential, which no other host gets.
 * @param hops remaining redirects within the provider
 * @throws {FileTooLargeError | UpstreamError | FetchError} if the file is too large or cannot be opened
 */
async function openOwn(
  candidate: JobCandidate,
  path: string,
  rules: FileRules,
  hops = MAX_OWN_REDIRECTS,
): Promise<OpenedFile> {
  const request = connect(candidate, { method: 'GET', path, headers: {} }, AbortSignal.timeout(rules.timeoutMs));
  const { status, headers, body } = await request.send('');
  const mediaType = String(headers['content-type']).split(';')[0]!.trim().toLowerCase();
  // A response with a text media type is not the file. It contains the URL of the file, or an error message.
  if (status === 200 && !TEXT.test(mediaType)) {
    if (Number(headers['content-length'] ?? 0) <= MAX_FILE_BYTES) return { mediaType, body };
    await body.return();
    throw new FileTooLargeError();
  }
  const text = await readResponse({ status, body }, MAX_JOB_ANSWER_BYTES);
  const answer = { status, headers: singleValues(headers), text };
  const address = addressIn(answer, candidate, path);
  if (!address) {
    const { id } = candidate.endpoint.provider;
    if (blamesOperator(answer, id)) alarmOperator({ fault: 'operator' }, { provider: id, status });
    throw new UpstreamError('malformed', `The provider answered with status ${status} instead of a file`);
  }
  if (address.origin !== new URL(candidate.endpoint.provider.baseUrl).origin) {
    return openAnywhere(address.href, rules);
  }
  if (hops === 0) throw new UpstreamError('malformed', 'The provider redirected the download of a file too many times');
  return openOwn(candidateAtOrigin(candidate, address.origin), `${address.pathname}${address.search}`, rules, hops - 1);
}

function addressIn(answer: JobHttpAnswer, { endpoint, wire }: JobCandidate, path: string): URL | null {
  if (answer.status === 200) return URL.parse(wire.readFileAddress?.(answer) ?? '');
  const { location } = answer.headers;
  if (!redirectStatuses.has(answer.status) || location === undefined) return null;
  return URL.parse(location, `${endpoint.provider.baseUrl}${path}`);
}

function candidateAtOrigin(candidate: JobCandidate, origin: string): JobCandidate {
  const { endpoint } = candidate;
  return { ...candidate, endpoint: { ...endpoint, provider: { ...endpoint.provider, baseUrl: origin } } };
}

async function openAnywhere(url: string, fileRules: FileRules): Promise<OpenedFile> {
  const rules = { ...fileRules, maxBytes: MAX_FILE_BYTES, allowLoopback: isOnOwnMachine() };
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
