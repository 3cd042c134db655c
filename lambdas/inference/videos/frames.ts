/**
 * Reads the pictures with which a video begins or ends. Providers get the pictures themselves, never a URL from a
 * client.
 */

import { fetchFaultTexts } from '../../platform/fetch/fetch-faults.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { fetchPublic } from '../../platform/fetch/safe-fetch.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import type { VideoBody } from './request.ts';

type Frame = VideoRequest['frames'][number];
type FrameImage = NonNullable<VideoBody['frame_images']>[number];

const mediaTypes = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;
const FETCH_WITHIN_MS = 10_000;
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/**
 * Reads the pictures of a request from data URLs or from the web.
 * @throws {GatewayError} 400 naming the frame that cannot be read
 */
export function framesOf(images: readonly FrameImage[], signal: AbortSignal | undefined): Promise<Frame[]> {
  return Promise.all(
    images.map(async ({ image_url: { url }, frame_type: frame }, index) => ({
      frame,
      ...(url.startsWith('data:') ? readDataUrl(url, index) : await fetchFrame(url, index, signal)),
    })),
  );
}

function readDataUrl(url: string, index: number): Omit<Frame, 'frame'> {
  const [, stated = '', base64] = DATA_URL.exec(url) ?? [];
  const mediaType = stated === 'image/jpg' ? 'image/jpeg' : stated;
  if (base64 === undefined) throw refusal(index, 'must be a data URL with base64, such as data:image/png;base64,…');
  if (!mediaTypes.includes(mediaType))
    throw refusal(index, `must be one of ${mediaTypes.join(', ')}, not ${mediaType}`);
  return { mediaType, base64 };
}

async function fetchFrame(url: string, index: number, signal: AbortSignal | undefined): Promise<Omit<Frame, 'frame'>> {
  const fetched = await fetchPublic(url, {
    maxBytes: MAX_PICTURE_BYTES,
    timeoutMs: FETCH_WITHIN_MS,
    mediaTypes,
    allowLoopback: isOnOwnMachine(),
    signal,
  });
  if (!fetched.ok) throw refusal(index, fetchFaultTexts[fetched.reason]);
  return { mediaType: fetched.mediaType, base64: fetched.bytes.toString('base64') };
}

function refusal(index: number, text: string): Error {
  return invalidRequest(`frame_images.${index}.image_url.url`, text, { allowed: mediaTypes });
}
