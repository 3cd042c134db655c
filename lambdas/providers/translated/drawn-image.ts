import { UpstreamError } from '../http/upstream-error.ts';

/** Media type and base64 of a data URL. Providers send no parameters. */
const IMAGE_DATA_URL = /^data:(image\/[\w.+-]{1,40});base64,/i;
const MAX_IMAGE_HEAD_CHARACTERS = 64;

/**
 * Returns the source of an image block for the address of a drawn image.
 * @throws {UpstreamError} unless the address is a data URL of an image, or an https URL
 */
export function drawnImageAt(address: string): { type: string; [field: string]: string } {
  const [head, type] = IMAGE_DATA_URL.exec(address.slice(0, MAX_IMAGE_HEAD_CHARACTERS)) ?? [];
  if (head !== undefined) return drawnImage(type!.toLowerCase(), address.slice(head.length));
  if (/^https:\/\/\S{1,2048}$/.test(address)) return { type: 'url', url: address };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}

/** @throws {UpstreamError} unless the data is an image */
export function drawnImage(mediaType: string, data: string): { type: string; [field: string]: string } {
  if (data !== '' && mediaType.startsWith('image/')) return { type: 'base64', media_type: mediaType, data };
  throw new UpstreamError('malformed', 'The provider sent an image in an unknown form');
}
