/**
 * Computes the hash tree of RFC 6962 §2.1 (Certificate Transparency), over SHA-256. If any line is changed, removed,
 * added or moved, the root changes. A proof can be computed from the leaves of one chunk and the roots of all chunks.
 */

import { createHash } from 'node:crypto';

/** Number of leaves per chunk. It must be a power of two, so that chunks are subtrees. */
export const CHUNK_LEAVES = 1_024;

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** Returns the hash of a line: SHA-256 of a zero byte and the line, without a line feed at its end. */
export function leafOf(line: string): Buffer {
  return createHash('sha256').update(LEAF).update(line, 'utf8').digest();
}

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** Returns the root over hashes in their order: leaves, or the roots of all chunks. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest();
  if (hashes.length === 1) return hashes[0]!;
  const split = leftLeaves(hashes.length);
  return nodeOf(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** Computes the root over hashes that arrive one after another, and stores at most one hash for each level. */
export class RootHasher {
  /**
   * Roots of complete subtrees, from left to right: their sizes are the powers of two whose sum is the number of added
   * hashes.
   */
  readonly #subtrees: Buffer[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(hash: Buffer): void {
    let subtree = hash;
    for (let rest = this.#count; rest % 2 === 1; rest = (rest - 1) / 2) {
      subtree = nodeOf(this.#subtrees.pop()!, subtree);
    }
    this.#subtrees.push(subtree);
    this.#count += 1;
  }

  root(): Buffer {
    if (this.#subtrees.length === 0) return rootOf([]);
    return this.#subtrees.reduceRight((right, left) => nodeOf(left, right));
  }
}

/** Returns the sibling hashes on the path from a hash to the root, from the bottom up. */
export function pathOf(hashes: readonly Buffer[], index: number): Buffer[] {
  if (hashes.length <= 1) return [];
  const split = leftLeaves(hashes.length);
  return index < split
    ? [...pathOf(hashes.slice(0, split), index), rootOf(hashes.slice(split))]
    : [...pathOf(hashes.slice(split), index - split), rootOf(hashes.slice(0, split))];
}

/** Returns the root computed from a leaf and its path; undefined if the path has the wrong length. */
export function rootByPath(
  leaf: Buffer,
  { index, leaves, path }: { index: number; leaves: number; path: readonly Buffer[] },
): Buffer | undefined {
  if (leaves === 1) return path.length === 0 ? leaf : undefined;
  const sibling = path.at(-1);
  if (!sibling) return undefined;
  const below = path.slice(0, -1);
  const split = leftLeaves(leaves);
  const isLeft = index < split;
  const own = rootByPath(leaf, {
    index: isLeft ? index : index - split,
    leaves: isLeft ? split : leaves - split,
    path: below,
  });
  return own && (isLeft ? nodeOf(own, sibling) : nodeOf(sibling, own));
}

/** Returns the number of hashes in the left part of a tree: the greatest power of two below `count`. */
function leftLeaves(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}
