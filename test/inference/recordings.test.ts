import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../../lambdas/inference/recordings/read-recording.ts';
import { sniffRecording } from '../../lambdas/inference/recordings/sniff-recording.ts';
import { mp3File, waveFile } from '../support/recordings.ts';

const read = (bytes: Buffer) => readRecording(bytes, 'file');

function tagged(file: Buffer, bytes: number): Buffer {
  const header = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, (bytes >> 7) & 0x7f, bytes & 0x7f]);
  return Buffer.concat([header, Buffer.alloc(bytes), file]);
}

/** Returns an MP3 file whose header (Xing) states this number of frames. */
function lyingMp3(seconds: number, frames: number): Buffer {
  const file = mp3File(seconds);
  file.write('Xing', 21, 'latin1');
  file.writeUInt32BE(1, 25);
  file.writeUInt32BE(frames, 29);
  return file;
}

function framesOf(header: number[], bytes: number, count: number): Buffer {
  const frame = Buffer.alloc(bytes);
  frame.set(header);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

describe('a recording', () => {
  it.each<[string, Buffer, number]>([
    ['WAV', waveFile(2.5), 2.5],
    ['WAV with two channels', waveFile(2.5, { channels: 2 }), 2.5],
    ['WAV from a pipe, which states 4 GB', waveFile(3, { declaredBytes: 0xffff_ffff }), 3],
    ['WAV that states no samples', waveFile(3, { declaredBytes: 0 }), 3],
    ['WAV that states less', waveFile(20, { declaredBytes: 100 }), 20],
    ['WAV of telephony', withEncoding(waveFile(4), 7), 4],
    ['WAV with a text', waveFile(2, { says: 'odd' }), 2],
    ['MP3', mp3File(10), 10],
    ['MP3 of version 2', framesOf([0xff, 0xf3, 0x80, 0xc0], 208, 100), (100 * 576) / 22_050],
    ['MP3 with damaged bytes between frames', Buffer.concat([mp3File(4), Buffer.alloc(99, 1), mp3File(6)]), 10],
    ['AAC', framesOf([0xff, 0xf1, 0x50, 0x80, 25, 0, 0], 200, 100), (100 * 1_024) / 44_100],
    ['AAC with a tag', tagged(framesOf([0xff, 0xf1, 0x50, 0x80, 25, 0, 0], 200, 100), 500), (100 * 1_024) / 44_100],
    ['MP3 with a tag', tagged(mp3File(10), 1_000), 10],
    ['MP3 whose header states one frame', lyingMp3(60, 1), 60],
    ['MP3 whose header states a million frames', lyingMp3(60, 1_000_000), 60],
  ])('has the length of its sound: %s', async (_, bytes, seconds) => {
    const { seconds: found, maxSeconds } = await read(bytes);

    expect(found).toBeCloseTo(seconds, 1);
    expect(maxSeconds).toBe(found);
  });

  it.each<[string, Buffer]>([
    ['an Ogg page and noise', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(10_000, 7)])],
    [
      'an MP4 without samples',
      Buffer.concat([Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0', 'latin1'), Buffer.alloc(10_000)]),
    ],
    ['a FLAC header alone', Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(10_000)])],
    ['a WebM header alone', Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(10_000)])],
    ['a WAV of compressed samples', withEncoding(waveFile(10), 0x11)],
  ])('without a readable length has only the bound of its bytes: %s', async (_, bytes) => {
    const { seconds, maxSeconds } = await read(bytes);

    expect(seconds).toBeUndefined();
    expect(maxSeconds).toBeGreaterThanOrEqual((bytes.length * 8) / 8_000);
  });

  it('has the bound of its bytes if its length is not plausible for its size', async () => {
    // With 60,000 channels, these bytes would last only a moment.
    const bytes = waveFile(400, { sampleRate: 44_100 });
    bytes.writeUInt16LE(60_000, 22);

    const { seconds, maxSeconds } = await read(bytes);

    expect(seconds).toBeUndefined();
    expect(maxSeconds).toBe((bytes.length * 8) / 6_000);
  });

  it.each(['', '%PDF-1.7', '<html>', '\u00FF', 'ID3'])(
    'is refused if its bytes are not a recording: %j',
    async (bytes) => {
      await expect(read(Buffer.from(bytes, 'latin1'))).rejects.toMatchObject({
        status: 400,
        metadata: { field: 'file' },
      });
    },
  );

  it('that begins like its format is read without an error, whatever bytes follow', async () => {
    const beginnings = [
      'RIFF\0\0\0\0WAVE',
      'OggS',
      'fLaC',
      '\0\0\0 ftypM4A ',
      '\x1aE\xdf\xa3',
      '\xff\xfb\x90\xc0',
      '\xff\xf1P\x80',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 400 }), async (head, rest) => {
        const { maxSeconds, seconds } = await read(Buffer.concat([Buffer.from(head, 'latin1'), rest]));

        expect(maxSeconds).toBeGreaterThan(0);
        expect(seconds ?? maxSeconds).toBeLessThanOrEqual(maxSeconds);
      }),
      { numRuns: 300 },
    );
  });
});

it('the format of a recording is recognized by its first bytes', () => {
  expect(
    [waveFile(1), mp3File(1), Buffer.from('fff15080', 'hex'), Buffer.from('fLaC'), Buffer.from('x')].map(
      sniffRecording,
    ),
  ).toEqual(['wav', 'mp3', 'aac', 'flac', undefined]);
});

function withEncoding(file: Buffer, encoding: number): Buffer {
  file.writeUInt16LE(encoding, 20);
  return file;
}
