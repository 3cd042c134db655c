import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LeafFile } from './leaf-file.ts';
import { leafOf, rootOf } from './merkle.ts';
import { sealedHead } from './sealed-line.ts';

interface PackedFile {
  path: string;
  bytes: number;
}

/** The files exist until `LineFileWriter.remove` is called. */
export interface LineFile {
  lines: PackedFile;
  /** Leaves of the tree in order: one hexadecimal hash per line. */
  leaves: PackedFile;
  /** Hash of the uncompressed file of lines. */
  sha256: string;
  count: number;
  root: string;
  tree: LeafFile;
}

/** Owner of a line that belongs to no generation: sixteen bytes 0xff, which sort after all ids. */
const NO_GENERATION = Buffer.alloc(16, 0xff);

/** Returns the 16 bytes by which lines are sorted: a generation's id, or NO_GENERATION. */
export function ownerBytes(generationId: string | undefined): Buffer {
  return generationId === undefined
    ? NO_GENERATION
    : Buffer.from(generationId.slice('gen-'.length).replaceAll('-', ''), 'hex');
}

const MAX_WAITING = 65_536;

/** Writes a compressed file of lines, and computes its hash. `put` waits if the disk is slower than the caller. */
class PackedFileWriter {
  readonly #path: string;
  readonly #text = new PassThrough();
  readonly #written: Promise<void>;
  readonly #hash = createHash('sha256');
  #waiting = '';

  constructor(path: string) {
    this.#path = path;
    const hashed = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    this.#written = pipeline(this.#text, hashed, createGzip(), createWriteStream(path));
    // Without this handler, a failure before the call of `end` would be an unhandled rejection, which ends the process.
    this.#written.catch(() => {});
  }

  async put(line: string): Promise<void> {
    this.#waiting += `${line}\n`;
    if (this.#waiting.length >= MAX_WAITING) await this.#write();
  }

  async #write(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    if (this.#text.write(text)) return;
    // A failed stream never emits `drain`, so its error is thrown instead.
    await (this.#text.destroyed ? this.#written : once(this.#text, 'drain'));
  }

  async end(): Promise<PackedFile & { sha256: string }> {
    this.#text.end(this.#waiting);
    await this.#written;
    return { path: this.#path, bytes: (await stat(this.#path)).size, sha256: this.#hash.digest('hex') };
  }

  destroy(): void {
    this.#text.destroy();
  }
}

/** Writes the lines of a day, and the files with the leaves of their Merkle tree. */
export class LineFileWriter {
  readonly #directory: string;
  readonly #lines: PackedFileWriter;
  readonly #leaves: PackedFileWriter;
  readonly #tree: LeafFile;
  #count = 0;

  private constructor(directory: string, tree: LeafFile) {
    this.#directory = directory;
    this.#tree = tree;
    this.#lines = new PackedFileWriter(join(directory, 'lines.csv.gz'));
    this.#leaves = new PackedFileWriter(join(directory, 'leaves.txt.gz'));
  }

  static async open(): Promise<LineFileWriter> {
    const directory = await mkdtemp(join(tmpdir(), 'sealed-lines-'));
    const writer = new LineFileWriter(directory, await LeafFile.create(join(directory, 'tree.bin')));
    await writer.#lines.put(sealedHead);
    return writer;
  }

  /**
   * Writes a line and its leaf.
   * @param owner id of the line's generation, if any
   */
  async write(line: string, owner: string | undefined): Promise<void> {
    const hash = leafOf(line);
    await this.#tree.add({ owner: ownerBytes(owner), hash });
    this.#count += 1;
    await this.#lines.put(line);
    await this.#leaves.put(hash.toString('hex'));
  }

  async end(): Promise<LineFile> {
    const [{ sha256, ...lines }, { sha256: _, ...leaves }] = await Promise.all([this.#lines.end(), this.#leaves.end()]);
    await this.#tree.end();
    return {
      lines,
      leaves,
      sha256,
      count: this.#count,
      root: rootOf(this.#tree.index.map(({ hash }) => hash)).toString('hex'),
      tree: this.#tree,
    };
  }

  async remove(): Promise<void> {
    this.#lines.destroy();
    this.#leaves.destroy();
    await this.#tree.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
