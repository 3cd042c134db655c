import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

/**
 * Yields the lines of a gzipped text file. Memory is bounded by one decompressed chunk and the longest line.
 * @param seen called with each decompressed chunk
 * @throws {Error} if the file cannot be read, or is not valid gzip
 */
export async function* packedLines(
  path: string,
  seen: (chunk: Buffer) => void = () => {},
): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(error));
  for await (const chunk of file.pipe(unpacked) as AsyncIterable<Buffer>) {
    seen(chunk);
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== '') yield rest;
}
