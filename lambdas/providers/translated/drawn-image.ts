import { UpstreamError } from '../http/upstream-error.ts';

/**
 * Matches the beginning of a data URL up to the base64, with the image's media type. URLs with parameters do not match.
 */
const IMAGE_DATA_URL = /^data:(image\/[\w.+-]{1,40});base64,/i;
const MAX_IMAGE_HEAD_CHARACTERS = 64;

/**
 * Returns the source of an image block for the URL of a generated image.
 * @throws {UpstreamError} unless the URL is a data URL of an image that is not empty, or an https URL of at most 2,056
 *   characters
 */
export function drawnImageAt(address: string): { type: string; [field: string]: string } {
  const [head, type] = IMAGE_DATA_URL.exec(address.slice(0, MAX_IMAGE_HEAD_CHARACTERS)) ?? [];
  if (head !== undefined) return drawnImage(type!.toLowerCase(), address.slice(head.length));
  if (/^https:\/\/\S{1,2048}$/.test(address)) return { type: 'url', url: address };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}

/** @throws {UpstreamError} if the data is empty, or the media type is not an image */
export function drawnImage(mediaType: string, data: string): { type: string; [field: string]: string } {
  if (data !== '' && mediaType.startsWith('image/')) return { type: 'base64', media_type: mediaType, data };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}
