/** Small recordings in formats that clients send. */

import { spokenTextChunk } from '../../lib/local/sandbox/spoken-text.ts';

interface WaveOptions {
  /** Text that the sandbox returns as the transcript. */
  says?: string;
  sampleRate?: number;
  channels?: number;
  /** Size in the header; default: the real size. */
  declaredBytes?: number;
}

const BYTES_PER_SAMPLE = 2;

/** Returns a WAVE file with samples of 16 bits. */
export function waveFile(
  seconds: number,
  { says, sampleRate = 8_000, channels = 1, declaredBytes }: WaveOptions = {},
): Buffer<ArrayBuffer> {
  const samples = Buffer.alloc(Math.round(seconds * sampleRate) * channels * BYTES_PER_SAMPLE, 1);
  const format = Buffer.alloc(24);
  format.write('fmt ', 'latin1');
  format.writeUInt32LE(16, 4);
  format.writeUInt16LE(1, 8);
  format.writeUInt16LE(channels, 10);
  format.writeUInt32LE(sampleRate, 12);
  format.writeUInt32LE(sampleRate * channels * BYTES_PER_SAMPLE, 16);
  format.writeUInt16LE(channels * BYTES_PER_SAMPLE, 20);
  format.writeUInt16LE(BYTES_PER_SAMPLE * 8, 22);
  const chunk = says === undefined ? Buffer.alloc(0) : spokenTextChunk(says);
  const data = Buffer.alloc(8);
  data.write('data', 'latin1');
  data.writeUInt32LE(declaredBytes ?? samples.length, 4);
  const parts = Buffer.concat([format, chunk, data, samples]);
  const riff = Buffer.alloc(12);
  riff.write('RIFF', 'latin1');
  riff.writeUInt32LE(declaredBytes === undefined ? parts.length + 4 : 0xffff_ffff, 4);
  riff.write('WAVE', 8, 'latin1');
  return Buffer.concat([riff, parts]);
}

/** Size of a frame of MPEG-1 layer III with 128 kbit/s, 44.1 kHz and one channel. */
const MP3_FRAME_BYTES = 417;
const MP3_FRAME_SECONDS = 1_152 / 44_100;

/** Returns an MP3 file of about this length. */
export function mp3File(seconds: number): Buffer<ArrayBuffer> {
  const frame = Buffer.alloc(MP3_FRAME_BYTES);
  frame.set([0xff, 0xfb, 0x90, 0xc0]);
  return Buffer.concat(Array.from({ length: Math.round(seconds / MP3_FRAME_SECONDS) }, () => frame));
}
