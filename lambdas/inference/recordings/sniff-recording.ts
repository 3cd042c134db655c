import type { RecordingFormat } from '../../catalog/quirk-values.ts';

const ID3_HEADER_BYTES = 10;

/** Returns the format by the first bytes of a recording; undefined if it is unknown. */
export function sniffRecording(bytes: Buffer): RecordingFormat | undefined {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if ((ascii(0, 4) === 'RIFF' || ascii(0, 4) === 'RF64') && ascii(8, 12) === 'WAVE') return 'wav';
  if (ascii(0, 4) === 'fLaC') return 'flac';
  if (ascii(0, 4) === 'OggS') return 'ogg';
  if (ascii(4, 8) === 'ftyp') return 'm4a';
  if (bytes.length >= 4 && bytes.readUInt32BE(0) === 0x1a_45_df_a3) return 'webm';
  return frameFormat(withoutTag(bytes));
}

/** Returns the file without an ID3 tag at its start. Each byte of the tag's size has seven bits. */
export function withoutTag(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 3) !== 'ID3') return bytes;
  const size = bytes.subarray(6, ID3_HEADER_BYTES).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return bytes.subarray(ID3_HEADER_BYTES + size);
}

/**
 * Returns the format of a file that begins with a frame. A frame of AAC (ADTS) or MP3 begins with eleven set bits. In
 * ADTS, the twelfth bit is also set, and the two bits of the layer are 0.
 */
function frameFormat(bytes: Buffer): RecordingFormat | undefined {
  const [first, second] = bytes;
  if (first !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return undefined;
  return (second & 0xf6) === 0xf0 ? 'aac' : 'mp3';
}
