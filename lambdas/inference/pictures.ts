import { isBase64 } from '../platform/base64.ts';
import { readDataUrl } from '../platform/data-url.ts';
import { isOnOwnMachine } from '../platform/environment.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { FormFile } from '../platform/form-file.ts';
import { fetchFaultTexts } from '../platform/fetch/fetch-faults.ts';
import { fetchPublic } from '../platform/fetch/safe-fetch.ts';
import { sniffedImageType } from '../providers/sniff-image.ts';

const pictureTypes = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_FETCHED_PICTURE_BYTES = 8 * 1024 * 1024;
const FETCH_PICTURE_WITHIN_MS = 10_000;

/**
 * Returns a picture as a data URL. Its media type is detected from its first bytes.
 * @param sent an address, a data URL, or a file of a form
 * @throws {GatewayError} 400 naming the field that cannot be read
 */
export async function pictureAsUrl(
  sent: string | FormFile,
  field: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const base64 = typeof sent === 'string' ? await base64At(sent, field, signal) : sent.bytes.toString('base64');
  const mediaType = sniffedImageType(base64);
  if (mediaType === undefined) throw pictureRefusal(field, 'must be a PNG, JPEG or WebP image');
  return `data:${mediaType};base64,${base64}`;
}

function base64At(url: string, field: string, signal: AbortSignal | undefined): string | Promise<string> {
  return /^data:/i.test(url) ? base64InUrl(url, field) : fetchBase64(url, field, signal);
}

function base64InUrl(url: string, field: string): string {
  const base64 = readDataUrl(url)?.base64 ?? '';
  if (!isBase64(base64)) throw pictureRefusal(field, 'must be a data URL with base64, such as data:image/png;base64,…');
  return base64;
}

async function fetchBase64(url: string, field: string, signal: AbortSignal | undefined): Promise<string> {
  const fetched = await fetchPublic(url, {
    maxBytes: MAX_FETCHED_PICTURE_BYTES,
    timeoutMs: FETCH_PICTURE_WITHIN_MS,
    mediaTypes: pictureTypes,
    allowLoopback: isOnOwnMachine(),
    signal,
  });
  if (!fetched.ok) {
    const text = fetchFaultTexts[fetched.reason];
    throw fetched.reason === 'media_type' ? pictureRefusal(field, text) : invalidRequest(field, text);
  }
  return fetched.bytes.toString('base64');
}

function pictureRefusal(field: string, text: string): Error {
  return invalidRequest(field, text, { allowed: pictureTypes });
}
