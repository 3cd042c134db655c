import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Leaf } from '../../store/days/seals.ts';
import { CHUNK_LEAVES, leafOf, rootOf } from './merkle.ts';
import { sealedHead } from './sealed-line.ts';

/** A compressed file on the local disk. */
interface PackedFile {
  path: string;
  bytes: number;
}

/**
 * A written file of lines, with the hash tree over the lines. The files exist until `LineFileWriter.remove` is called.
 */
export interface LineFile {
  lines: PackedFile;
  /** File with the leaves of the tree in order: one hash per line, in hexadecimal digits. */
  leaves: PackedFile;
  /** Hash of the uncompressed file of lines. */
  sha256: string;
  count: number;
  root: string;
  chunks: Leaf[][];
  chunkRoots: Buffer[];
}

/** Owner of a line that belongs to no generation: sixteen bytes 0xff, which sort after all ids. */
const NO_GENERATION = Buffer.alloc(16, 0xff);

/**
 * Returns the 16 bytes by which lines are sorted: a generation's id, or NO_GENERATION. Bytes sort in the same order as
 * ids.
 */
export function ownerBytes(generationId: string | undefined): Buffer {
  return generationId === undefined
    ? NO_GENERATION
    : Buffer.from(generationId.slice('gen-'.length).replaceAll('-', ''), 'hex');
}

/** Writes a compressed file line by line. `put` waits if the disk is slower than the caller. */
class PackedFileWriter {
  readonly #path: string;
  readonly #text = new PassThrough();
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');

  constructor(path: string) {
    this.#path = path;
    const hashed = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#text, hashed, createGzip(), createWriteStream(path));
    // `end` awaits this promise later. Without a handler, an earlier failure, such as a full disk, would be an
    // unhandled rejection that ends the process.
    this.#written.catch(() => {});
  }

  async put(line: string): Promise<void> {
    if (this.#text.write(`${line}\n`)) return;
    // A failed stream never emits `drain`, so its error is thrown instead.
    await (this.#text.destroyed ? this.#written : once(this.#text, 'drain'));
  }

  async end(): Promise<PackedFile & { sha256: string }> {
    this.#text.end();
    await this.#written;
    return { path: this.#path, bytes: (await stat(this.#path)).size, sha256: this.#hash.digest('hex') };
  }

  destroy(): void {
    this.#text.destroy();
  }
}

/**
 * Writes the lines of a day, and the file of their leaves. The leaves also stay in memory, because they are stored in
 * the table later.
 */
export class LineFileWriter {
  readonly #directory: string;
  readonly #lines: PackedFileWriter;
  readonly #leaves: PackedFileWriter;
  readonly #chunks: Leaf[][] = [];
  #count = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    this.#lines = new PackedFileWriter(join(directory, 'lines.csv.gz'));
    this.#leaves = new PackedFileWriter(join(directory, 'leaves.txt.gz'));
  }

  static async open(): Promise<LineFileWriter> {
    const writer = new LineFileWriter(await mkdtemp(join(tmpdir(), 'sealed-lines-')));
    await writer.#lines.put(sealedHead);
    return writer;
  }

  /**
   * Writes a line, and the line's leaf.
   * @param owner generation to which the line belongs; undefined for other lines
   */
  async write(line: string, owner: string | undefined): Promise<void> {
    const hash = leafOf(line);
    if (this.#count % CHUNK_LEAVES === 0) this.#chunks.push([]);
    this.#chunks.at(-1)!.push({ owner: ownerBytes(owner), hash });
    this.#count += 1;
    await this.#lines.put(line);
    await this.#leaves.put(hash.toString('hex'));
  }

  async end(): Promise<LineFile> {
    const [{ sha256, ...lines }, { sha256: _, ...leaves }] = await Promise.all([this.#lines.end(), this.#leaves.end()]);
    const chunkRoots = this.#chunks.map((chunk) => rootOf(chunk.map(({ hash }) => hash)));
    return {
      lines,
      leaves,
      sha256,
      count: this.#count,
      root: rootOf(chunkRoots).toString('hex'),
      chunks: this.#chunks,
      chunkRoots,
    };
  }

  async remove(): Promise<void> {
    this.#lines.destroy();
    this.#leaves.destroy();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
