/** Reads MP4 files as far as tests need it: boxes (the units of the format), and the samples in tables of boxes. */

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'dinf']);

export interface Movie {
  /** Content of boxes by path, for example `moov.mvhd`. */
  boxes: Map<string, Buffer>;
  samples: Buffer[];
}

/**
 * Reads a file.
 * @throws {Error} unless the file consists of complete, consecutive boxes, and all samples are inside the file
 */
export function readMp4(file: Buffer): Movie {
  const boxes = new Map<string, Buffer>();
  collect(file, '', boxes);
  const table = (name: string) => boxes.get(`moov.trak.mdia.minf.stbl.${name}`)!;
  const [sizes, offsets] = [table('stsz'), table('stco')];
  let at = offsets.readUInt32BE(8);
  const samples = Array.from({ length: sizes.readUInt32BE(8) }, (_, index) => {
    const end = at + sizes.readUInt32BE(12 + 4 * index);
    if (end > file.length) throw new Error('A sample ends behind the file');
    const sample = file.subarray(at, end);
    at = end;
    return sample;
  });
  return { boxes, samples };
}

function collect(bytes: Buffer, path: string, boxes: Map<string, Buffer>): void {
  for (let at = 0; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) throw new Error(`A box of ${path || 'the file'} has an impossible size`);
    const name = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + size);
    boxes.set(`${path}${name}`, content);
    if (containers.has(name)) collect(content, `${path}${name}.`, boxes);
    at += size;
  }
}
