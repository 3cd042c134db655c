import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Leaf } from '../../store/seals.ts';
import { CHUNK_LEAVES, leafOf, rootOf } from './merkle.ts';
import { sealedHead } from './sealed-line.ts';

/** A file of lines that is written, and the tree of its lines. */
export interface LineFile {
  /** Its place on this machine, until `remove` is called. */
  path: string;
  bytes: number;
  /** The hash of the file as it is unpacked. */
  sha256: string;
  count: number;
  root: string;
  chunks: Leaf[][];
  chunkRoots: Buffer[];
}

/** Sixteen ones: the owner of a line that belongs to no generation. */
const NOBODY = Buffer.alloc(16, 0xff);

/** The digits of a generation's id, which sort as ids do. */
export function ownerBytes(generationId: string | undefined): Buffer {
  return generationId === undefined
    ? NOBODY
    : Buffer.from(generationId.slice('gen-'.length).replaceAll('-', ''), 'hex');
}

/** A packed file of lines that is written line by line, no faster than the disk takes it; and the leaves of their tree, in memory. */
export class LineFileWriter {
  readonly #directory: string;
  readonly #text = new PassThrough();
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  readonly #chunks: Leaf[][] = [];
  #count = 0;

  private constructor(directory: string) {
    this.#directory = directory;
    const hashed = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#text, hashed, createGzip(), createWriteStream(this.#path));
    // It is awaited at the end; a disk that is full must not end the process before.
    this.#written.catch(() => {});
  }

  static async open(): Promise<LineFileWriter> {
    const writer = new LineFileWriter(await mkdtemp(join(tmpdir(), 'sealed-lines-')));
    await writer.#put(sealedHead);
    return writer;
  }

  get #path(): string {
    return join(this.#directory, 'lines.csv.gz');
  }

  /** @param owner the generation that the line belongs to */
  async write(line: string, owner: string | undefined): Promise<void> {
    if (this.#count % CHUNK_LEAVES === 0) this.#chunks.push([]);
    this.#chunks.at(-1)!.push({ owner: ownerBytes(owner), hash: leafOf(line) });
    this.#count += 1;
    await this.#put(line);
  }

  async #put(line: string): Promise<void> {
    if (this.#text.write(`${line}\n`)) return;
    // A disk that is full ends this one with its error; after that nothing drains.
    await (this.#text.destroyed ? this.#written : once(this.#text, 'drain'));
  }

  async end(): Promise<LineFile> {
    this.#text.end();
    await this.#written;
    const chunkRoots = this.#chunks.map((leaves) => rootOf(leaves.map(({ hash }) => hash)));
    return {
      path: this.#path,
      bytes: (await stat(this.#path)).size,
      sha256: this.#hash.digest('hex'),
      count: this.#count,
      root: rootOf(chunkRoots).toString('hex'),
      chunks: this.#chunks,
      chunkRoots,
    };
  }

  async remove(): Promise<void> {
    this.#text.destroy();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
