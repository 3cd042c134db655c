import { readDataUrl } from '../../platform/data-url.ts';
import { UpstreamError } from '../http/upstream-error.ts';

/**
 * Returns the source of a generated image.
 * @throws {UpstreamError} unless it is a data URL of a non-empty image, or an https URL of a bounded length
 */
export function drawnImageAt(address: string): { type: string; [field: string]: string } {
  const data = readDataUrl(address);
  if (data) return drawnImage(data.mediaType, data.base64);
  if (/^https:\/\/\S{1,2048}$/.test(address)) return { type: 'url', url: address };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}

/**
 * Returns the source of a generated image from its data in base64.
 * @throws {UpstreamError} if the data is empty, or the media type is not an image
 */
export function drawnImage(mediaType: string, data: string): { type: string; [field: string]: string } {
  if (data !== '' && mediaType.startsWith('image/')) return { type: 'base64', media_type: mediaType, data };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}
