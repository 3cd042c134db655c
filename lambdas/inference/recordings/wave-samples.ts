import type { Recording } from '../../providers/transcription/codec.ts';

const PCM = 1;
/** Encodings whose samples all have the same size: integers, floats, A-law and µ-law of telephony. */
const EVEN_ENCODINGS = new Set([PCM, 3, 6, 7]);
const EXTENSIBLE = 0xff_fe;
const CHUNK_HEADER_BYTES = 8;
const MAX_CHUNKS = 64;
/** Maximum size of chunks behind the samples, such as texts. With more bytes behind them, the header lies. */
const MAX_BYTES_AFTER_SAMPLES = 64 * 1024;

/** The samples of a WAV file, and their length. */
export interface WaveSamples {
  seconds: number;
  /** Samples of 16 bits, which some providers take without a header; undefined for other samples. */
  samples: Recording['samples'];
}

interface WaveFormat {
  encoding: number;
  channels: number;
  sampleRate: number;
  bits: number;
}

/**
 * Reads a WAV file with samples of one size; undefined for another encoding or an unreadable file. The length follows from the
 * bytes of the file if the declared size of the samples is wrong: programs that write into a pipe declare 0 or 4 GB.
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
    // An extensible format has the encoding in its first two bytes of its identifier.
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
