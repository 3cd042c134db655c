import { crc32, deflateSync } from 'node:zlib';

const LONG_SIDE_PIXELS: Record<string, number> = { '512': 512, '1K': 1_024, '2K': 2_048, '4K': 4_096 };
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Returns a PNG in base64: a gray gradient. */
export function sandboxPicture({ aspectRatio = '1:1', imageSize = '1K' } = {}): string {
  const [across = 1, down = 1] = aspectRatio.split(':').map(Number);
  const scale = (LONG_SIDE_PIXELS[imageSize] ?? 1_024) / Math.max(across, down);
  const [width, height] = [Math.round(across * scale), Math.round(down * scale)];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    rows.fill(Math.floor((255 * y) / height), y * (width + 1) + 1, (y + 1) * (width + 1));
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]).toString('base64');
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
