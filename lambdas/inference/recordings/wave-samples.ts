import type { Recording } from '../../providers/transcription/codec.ts';

const PCM = 1;
/** Encodings whose samples all have the same size: integers, floats, A-law and µ-law. */
const EVEN_ENCODINGS = new Set([PCM, 3, 6, 7]);
const EXTENSIBLE = 0xff_fe;
const CHUNK_HEADER_BYTES = 8;
const MAX_CHUNKS = 64;
/**
 * Maximum number of bytes after the samples. If more bytes follow, the declared size of the samples counts as wrong.
 */
const MAX_BYTES_AFTER_SAMPLES = 64 * 1024;

export interface WaveSamples {
  seconds: number;
  /** 16-bit samples, which some providers accept without a header; undefined for other samples. */
  samples: Recording['samples'];
}

interface WaveFormat {
  encoding: number;
  channels: number;
  sampleRate: number;
  bits: number;
}

/**
 * Returns the length and the samples of a WAV file. Programs that write to a pipe declare a wrong size (0 bytes or 4
 * GB); then all remaining bytes count as samples.
 * @returns undefined for an unreadable file, or an encoding whose samples differ in size
 */
export function waveSamples(bytes: Buffer): WaveSamples | undefined {
  let format: WaveFormat | undefined;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= bytes.length; chunks += 1) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + CHUNK_HEADER_BYTES);
    if (name === 'fmt ' && body.length >= 16) format = waveFormat(body);
    if (name === 'data') return format && samplesOf(body, size, format);
    at += CHUNK_HEADER_BYTES + size + (size % 2);
  }
  return undefined;
}

function waveFormat(chunk: Buffer): WaveFormat {
  const encoding = chunk.readUInt16LE(0);
  return {
    // In the extensible format, the first two bytes of the format's GUID contain the encoding.
    encoding: encoding === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : encoding,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    bits: chunk.readUInt16LE(14),
  };
}

function samplesOf(body: Buffer, declared: number, format: WaveFormat): WaveSamples | undefined {
  const { encoding, channels, sampleRate, bits } = format;
  const bytesPerSecond = (channels * sampleRate * bits) / 8;
  if (!EVEN_ENCODINGS.has(encoding) || bits % 8 !== 0 || bytesPerSecond === 0) return undefined;
  const isRight = declared > 0 && declared <= body.length && body.length - declared <= MAX_BYTES_AFTER_SAMPLES;
  const bytes = isRight ? body.subarray(0, declared) : body;
  const samples = encoding === PCM && bits === 16 ? { sampleRate, channels, bytes } : undefined;
  return { seconds: bytes.length / bytesPerSecond, samples };
}
