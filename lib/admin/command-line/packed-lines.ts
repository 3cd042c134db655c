import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';

/**
 * The lines of a packed text file, in memory one at a time.
 * @param seen is told of each piece as it is unpacked
 * @throws {Error} for a file that is not there, or is not packed
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
