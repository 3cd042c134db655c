/** Value for an unknown length. */
const UNKNOWN_LENGTH = 0xff_ff_ff_ff;
const BYTES_PER_SAMPLE = 2;
/** Bytes of the RIFF and format chunks, which come before the other chunks. */
const FORMAT_BYTES = 36;
const DATA_HEAD_BYTES = 8;
/** Bytes at the start of the file (`RIFF` and its length field) that this length field does not count. */
const RIFF_HEAD_BYTES = 8;

interface WavContents {
  /** Size of the audio data in bytes; unknown if absent. */
  dataBytes?: number;
  chunk?: Buffer;
}

/** Returns the header of a WAV file with 16-bit mono audio. */
export function wavHeader(sampleRate: number, { dataBytes, chunk = Buffer.alloc(0) }: WavContents = {}): Buffer {
  const format = Buffer.alloc(FORMAT_BYTES);
  const fileBytes = FORMAT_BYTES - RIFF_HEAD_BYTES + chunk.length + DATA_HEAD_BYTES;
  format.write('RIFF', 0, 'latin1');
  format.writeUInt32LE(dataBytes === undefined ? UNKNOWN_LENGTH : fileBytes + dataBytes, 4);
  format.write('WAVEfmt ', 8, 'latin1');
  format.writeUInt32LE(16, 16);
  format.writeUInt16LE(1, 20);
  format.writeUInt16LE(1, 22);
  format.writeUInt32LE(sampleRate, 24);
  format.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28);
  format.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  format.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  const data = Buffer.alloc(DATA_HEAD_BYTES);
  data.write('data', 0, 'latin1');
  data.writeUInt32LE(dataBytes ?? UNKNOWN_LENGTH, 4);
  return Buffer.concat([format, chunk, data]);
}
