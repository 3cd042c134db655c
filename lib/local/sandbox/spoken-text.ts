/**
 * Hides the text of the sandbox's own speech in a chunk of a WAV file, so that the sandbox can transcribe it. The text
 * is also found elsewhere in a file, for example in a tag of an MP3 file.
 */

const NAME = 'sbtx';
const HEADER_BYTES = 8;
const MAX_TEXT_BYTES = 64 * 1024;

/** Returns a WAV chunk for a place before the `data` chunk. */
export function spokenTextChunk(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, MAX_TEXT_BYTES);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(NAME, 'latin1');
  header.writeUInt32LE(bytes.length, 4);
  // Chunks must begin at even offsets.
  return Buffer.concat([header, bytes, Buffer.alloc(bytes.length % 2)]);
}

/** Returns the hidden text of a file, if it has one. */
export function spokenTextIn(file: Buffer): string | undefined {
  const at = file.indexOf(NAME, 0, 'latin1');
  if (at === -1 || at + HEADER_BYTES > file.length) return undefined;
  const begin = at + HEADER_BYTES;
  return file.toString('utf8', begin, begin + file.readUInt32LE(at + 4));
}
