/**
 * Computes the length of MP3 and AAC files, which are sequences of frames without a file header. Frames after damaged
 * bytes count too, because a provider may play and bill them.
 */

interface SoundFrame {
  bytes: number;
  seconds: number;
}

const AAC_SAMPLE_RATES = [96, 88.2, 64, 48, 44.1, 32, 24, 22.05, 16, 12, 11.025, 8, 7.35].map((khz) => khz * 1000);
const AAC_HEADER_BYTES = 7;
const AAC_BLOCK_SAMPLES = 1_024;

const MP3_HEADER_BYTES = 4;
const MP3_SAMPLE_RATES = [44_100, 48_000, 32_000];
const MP3_KILOBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
/** Bit rates in kbit/s of MPEG versions 2 and 2.5. */
const SLOW_MP3_KILOBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MP3_FRAME_SAMPLES = 1_152;
const BYTES_PER_KILOBIT = 125;
/** Divisors of the sample rates of MPEG version 1, at the index of the version number in the frame's header. */
const SLOWER = [4, 1, 2, 1];

/** Total length of all frames in seconds; undefined if there is no frame. */
export function frameSeconds(bytes: Buffer, format: 'mp3' | 'aac'): number | undefined {
  const frameAt = format === 'aac' ? aacFrameAt : mp3FrameAt;
  let seconds = 0;
  for (let at = bytes.indexOf(0xff); at !== -1;) {
    const frame = frameAt(bytes, at);
    seconds += frame?.seconds ?? 0;
    at = bytes.indexOf(0xff, at + (frame?.bytes ?? 1));
  }
  return seconds === 0 ? undefined : seconds;
}

function aacFrameAt(bytes: Buffer, at: number): SoundFrame | undefined {
  if (at + AAC_HEADER_BYTES > bytes.length || (bytes[at + 1]! & 0xf6) !== 0xf0) return undefined;
  const sampleRate = AAC_SAMPLE_RATES[(bytes[at + 2]! >> 2) & 0xf];
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  if (sampleRate === undefined || length < AAC_HEADER_BYTES) return undefined;
  const blocks = (bytes[at + 6]! & 3) + 1;
  return { bytes: length, seconds: (blocks * AAC_BLOCK_SAMPLES) / sampleRate };
}

function mp3FrameAt(bytes: Buffer, at: number): SoundFrame | undefined {
  if (at + MP3_HEADER_BYTES > bytes.length || (bytes[at + 1]! & 0xe6) !== 0xe2) return undefined;
  // Number of the MPEG version in the header: 3 is version 1, 2 is version 2, and 0 is version 2.5.
  const version = (bytes[at + 1]! >> 3) & 3;
  const kilobits = (version === 3 ? MP3_KILOBITS : SLOW_MP3_KILOBITS)[bytes[at + 2]! >> 4];
  const fastRate = MP3_SAMPLE_RATES[(bytes[at + 2]! >> 2) & 3];
  if (version === 1 || !kilobits || fastRate === undefined) return undefined;
  const samples = version === 3 ? MP3_FRAME_SAMPLES : MP3_FRAME_SAMPLES / 2;
  const sampleRate = fastRate / SLOWER[version]!;
  const padding = (bytes[at + 2]! >> 1) & 1;
  return {
    bytes: Math.floor((samples * kilobits * BYTES_PER_KILOBIT) / sampleRate) + padding,
    seconds: samples / sampleRate,
  };
}
