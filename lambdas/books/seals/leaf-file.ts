import { open, type FileHandle } from 'node:fs/promises';
import { LEAF_BYTES, leavesFromBytes, type Leaf } from '../../store/days/seals.ts';
import { CHUNK_LEAVES, rootOf } from './merkle.ts';

const CHUNK_BYTES = CHUNK_LEAVES * LEAF_BYTES;

/** Stores the leaves of a day's hash tree on the local disk, in chunks. */
export class LeafFile {
  readonly #file: FileHandle;
  #chunk = Buffer.alloc(CHUNK_BYTES);
  #bytes = 0;
  readonly #index: Leaf[] = [];

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<LeafFile> {
    return new LeafFile(await open(path, 'w+'));
  }

  /** For each written chunk, the owner of its first leaf, and its root. */
  get index(): readonly Leaf[] {
    return this.#index;
  }

  async add({ owner, hash }: Leaf): Promise<void> {
    this.#bytes += owner.copy(this.#chunk, this.#bytes);
    this.#bytes += hash.copy(this.#chunk, this.#bytes);
    if (this.#bytes === CHUNK_BYTES) await this.#completeChunk();
  }

  async end(): Promise<void> {
    if (this.#bytes > 0) await this.#completeChunk();
  }

  async #completeChunk(): Promise<void> {
    const bytes = this.#chunk.subarray(0, this.#bytes);
    const leaves = leavesFromBytes(bytes);
    this.#index.push({
      owner: Buffer.from(leaves[0]!.owner),
      hash: Buffer.from(rootOf(leaves.map(({ hash }) => hash))),
    });
    await this.#file.write(bytes);
    this.#bytes = 0;
  }

  async *chunks(): AsyncGenerator<Buffer, void> {
    for (const place of this.#index.keys()) {
      const { buffer, bytesRead } = await this.#file.read(
        Buffer.alloc(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        place * CHUNK_BYTES,
      );
      yield buffer.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
