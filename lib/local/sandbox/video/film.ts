/** A film of the sandbox: columns in the colours of a test card, which wander to the left. */

import { picture, type Colour, type PictureSize } from './h264.ts';
import { mp4 } from './mp4.ts';

const PICTURE_MS = 500;
/** Macroblocks of the longer side. */
const LONG_SIDE = 16;
/** White, yellow, cyan, green, magenta, red, blue and black, in BT.601. */
const colours: Colour[] = [
  { luma: 235, blue: 128, red: 128 },
  { luma: 210, blue: 16, red: 146 },
  { luma: 170, blue: 166, red: 16 },
  { luma: 145, blue: 54, red: 34 },
  { luma: 106, blue: 202, red: 222 },
  { luma: 81, blue: 90, red: 240 },
  { luma: 41, blue: 240, red: 110 },
  { luma: 16, blue: 128, red: 128 },
];

/** @param aspectRatio such as 16:9 */
export function film(durationSeconds: number, aspectRatio: string): Buffer {
  const size = sizeOf(aspectRatio);
  const count = Math.ceil((durationSeconds * 1_000) / PICTURE_MS);
  const pictures = Array.from({ length: count }, (_, index) =>
    picture(size, index, (column) => colours[Math.floor((column + index) / 2) % colours.length]!),
  );
  return mp4({ size, pictures, pictureMs: PICTURE_MS });
}

function sizeOf(aspectRatio: string): PictureSize {
  const [width = 1, height = 1] = aspectRatio.split(':').map(Number);
  const unit = LONG_SIDE / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * unit)), height: Math.max(1, Math.round(height * unit)) };
}
