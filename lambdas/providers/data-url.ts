/** Data URLs of pictures, as `fetchedPicture` returns them. */

import type { ImageFile } from './images/codec.ts';

const MAX_PICTURE_HEAD_CHARACTERS = 100;
const PICTURE_URL_HEAD = /^data:[a-z]+\/[a-z0-9.+-]+;base64,/;

/** Returns the part of a URL before its base64; undefined if the URL has no base64. */
export function dataUrlHead(url: string): string | undefined {
  return PICTURE_URL_HEAD.exec(url.slice(0, MAX_PICTURE_HEAD_CHARACTERS))?.[0];
}

/** Reads a data URL with base64. */
export function pictureOfUrl(url: string): ImageFile {
  const head = dataUrlHead(url) ?? '';
  return { mediaType: head.slice('data:'.length, -';base64,'.length), base64: url.slice(head.length) };
}
