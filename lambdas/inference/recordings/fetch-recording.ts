import { isOnOwnMachine } from '../../platform/environment.ts';
import { GatewayError, invalidRequest } from '../../platform/errors.ts';
import { fetchFaultTexts } from '../../platform/fetch/fetch-faults.ts';
import { fetchPublic } from '../../platform/fetch/safe-fetch.ts';

/** Maximum size of a recording, as in OpenAI's API. */
export const MAX_RECORDING_BYTES = 25 * 1024 * 1024;
const RECORDING_FETCH_MS = 30_000;
/** Servers that do not know the format of a file use one of the last two types. */
const recordingMediaTypes = [
  'audio/*',
  'video/*',
  'application/ogg',
  'application/octet-stream',
  'binary/octet-stream',
];

/**
 * Fetches a recording from its URL.
 * @throws {GatewayError} 400 for a URL that cannot be fetched, 413 for a recording that is too large
 */
export async function fetchRecording(url: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const fetched = await fetchPublic(url, {
    maxBytes: MAX_RECORDING_BYTES,
    timeoutMs: RECORDING_FETCH_MS,
    mediaTypes: recordingMediaTypes,
    allowLoopback: isOnOwnMachine(),
    signal,
  });
  if (fetched.ok) return fetched.bytes;
  throw fetched.reason === 'too_large' ? recordingTooLarge() : invalidRequest('url', fetchFaultTexts[fetched.reason]);
}

export function recordingTooLarge(): GatewayError {
  return new GatewayError(
    'payload_too_large',
    'The recording is larger than 25 MB. Send it in a compressed format, such as mp3 or ogg, or in several parts.',
  );
}
