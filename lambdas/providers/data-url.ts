/** Data URLs of pictures, as `pictureAsUrl` returns them. */

import type { ImageFile } from './images/codec.ts';

const MAX_PICTURE_HEAD_CHARACTERS = 100;
const PICTURE_URL_HEAD = /^data:[a-z]+\/[a-z0-9.+-]+;base64,/;

/** Returns the beginning of a data URL up to `;base64,`; undefined for a URL of another form. */
export function dataUrlHead(url: string): string | undefined {
  return PICTURE_URL_HEAD.exec(url.slice(0, MAX_PICTURE_HEAD_CHARACTERS))?.[0];
}

/** Splits a base64 data URL into media type and content. */
export function pictureOfUrl(url: string): ImageFile {
  const head = dataUrlHead(url) ?? '';
  return { mediaType: head.slice('data:'.length, -';base64,'.length), base64: url.slice(head.length) };
}
