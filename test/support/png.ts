import { crc32, inflateSync } from 'node:zlib';

const SIGNATURE = '89504e470d0a1a0a';

/**
 * Returns the size of a PNG (8 bits, gray), and checks its checksums and the length of its pixels.
 * @throws {Error} if the file is not a valid PNG
 */
export function readPng(base64: string): { width: number; height: number } {
  const file = Buffer.from(base64, 'base64');
  if (file.subarray(0, 8).toString('hex') !== SIGNATURE) throw new Error('not a PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const named = file.subarray(at + 4, at + 8 + length);
    if (crc32(named) !== file.readUInt32BE(at + 8 + length)) throw new Error('a checksum is wrong');
    chunks.set(named.subarray(0, 4).toString(), named.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get('IHDR')!;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (inflateSync(chunks.get('IDAT')!).length !== (width + 1) * height) throw new Error('pixels are missing');
  if (!chunks.has('IEND')) throw new Error('the end is missing');
  return { width, height };
}
