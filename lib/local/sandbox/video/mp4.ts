/** An MP4 file of one track of H.264 pictures, each shown for the same time. ISO/IEC 14496-12 and 14496-15. */

import { BLOCK_PIXELS, pictureParameters, profile, sequenceParameters, type PictureSize } from './h264.ts';

/** Units of time in a second. */
const TIMESCALE = 1_000;
const identityMatrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

export interface Track {
  size: PictureSize;
  pictures: Buffer[];
  pictureMs: number;
}

export function mp4({ size, pictures, pictureMs }: Track): Buffer {
  const samples = pictures.map((picture) => Buffer.concat([u32(picture.length), picture]));
  const type = box('ftyp', Buffer.from('isom'), u32(0x200), Buffer.from('isomiso2avc1mp41'));
  const durationMs = pictures.length * pictureMs;
  const movieAt = (mediaOffset: number) =>
    box(
      'moov',
      fullBox(
        'mvhd',
        u32(0, 0, TIMESCALE, durationMs, 0x10000),
        u16(0x100),
        zeros(10),
        identityMatrix,
        zeros(24),
        u32(2),
      ),
      box(
        'trak',
        fullBox('tkhd', { flags: 3 }, u32(0, 0, 1, 0, durationMs), zeros(16), identityMatrix, pixels(size, 16)),
        box(
          'mdia',
          fullBox('mdhd', u32(0, 0, TIMESCALE, durationMs), u16(0x55c4, 0)),
          fullBox('hdlr', u32(0), Buffer.from('vide'), zeros(12), Buffer.from('Sandbox\0')),
          box('minf', ...mediaInformation(size, samples, pictureMs, mediaOffset)),
        ),
      ),
    );
  const header = movieAt(0).length + type.length;
  return Buffer.concat([type, movieAt(header + 8), box('mdat', ...samples)]);
}

function mediaInformation(size: PictureSize, samples: Buffer[], pictureMs: number, mediaOffset: number): Buffer[] {
  const count = samples.length;
  return [
    fullBox('vmhd', { flags: 1 }, zeros(8)),
    box('dinf', fullBox('dref', u32(1), fullBox('url ', { flags: 1 }))),
    box(
      'stbl',
      fullBox('stsd', u32(1), sampleEntry(size)),
      fullBox('stts', u32(1, count, pictureMs)),
      fullBox('stsc', u32(1, 1, count, 1)),
      fullBox('stsz', u32(0, count, ...samples.map(({ length }) => length))),
      fullBox('stco', u32(1, mediaOffset)),
    ),
  ];
}

function sampleEntry(size: PictureSize): Buffer {
  const sequence = sequenceParameters(size);
  const parameters = pictureParameters();
  const configuration = box(
    'avcC',
    Buffer.from([1, ...profile, 0xff, 0xe1]),
    u16(sequence.length),
    sequence,
    Buffer.from([1]),
    u16(parameters.length),
    parameters,
  );
  const resolution = u32(0x480000, 0x480000, 0);
  return box(
    'avc1',
    zeros(6),
    u16(1),
    zeros(16),
    u16(size.width * BLOCK_PIXELS, size.height * BLOCK_PIXELS),
    resolution,
    u16(1),
    zeros(32),
    u16(0x18, 0xffff),
    configuration,
  );
}

/** @param shift how many bits of a number are behind the point */
function pixels({ width, height }: PictureSize, shift: number): Buffer {
  return u32(width * BLOCK_PIXELS * 2 ** shift, height * BLOCK_PIXELS * 2 ** shift);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content]);
}

/** A box with a version, which is 0 here, and flags. */
function fullBox(type: string, first: Buffer | { flags: number }, ...rest: Buffer[]): Buffer {
  return Buffer.isBuffer(first) ? box(type, u32(0), first, ...rest) : box(type, u32(first.flags), ...rest);
}

function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}

function u16(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, index * 2);
  return buffer;
}

function u32(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}
