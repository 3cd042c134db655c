/**
 * Text of the sandbox's own speech, hidden in its files, so that the sandbox's transcription can read it: a chunk of WAV,
 * or the same bytes in a tag of MP3.
 */

const NAME = 'sbtx';
const HEADER_BYTES = 8;
const MAX_TEXT_BYTES = 64 * 1024;

/** Returns a chunk of a WAV file with a text. Put it in front of the chunk `data`. */
export function spokenTextChunk(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, MAX_TEXT_BYTES);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(NAME, 'latin1');
  header.writeUInt32LE(bytes.length, 4);
  // Chunks begin at even places.
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)]);
}

/** Returns the hidden text of a file; undefined if it has none. */
export function spokenTextIn(file: Buffer): string | undefined {
  const at = file.indexOf(NAME, 0, 'latin1');
  if (at === -1 || at + HEADER_BYTES > file.length) return undefined;
  const begin = at + HEADER_BYTES;
  return file.toString('utf8', begin, begin + file.readUInt32LE(at + 4));
}
