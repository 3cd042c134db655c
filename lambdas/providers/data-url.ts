import { readDataUrl } from '../platform/data-url.ts';
import type { ImageFile } from './images/codec.ts';

/** Splits a data URL that `pictureAsUrl` has returned. */
export function pictureOfUrl(url: string): ImageFile {
  return readDataUrl(url)!;
}
