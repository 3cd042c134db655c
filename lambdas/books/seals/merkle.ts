/**
 * The tree of hashes of RFC 6962 §2.1 (Certificate Transparency), over SHA-256. Its root proves that a line is in the
 * tree, with one hash for each level. No line can be changed, removed, added or moved without a change of the root.
 *
 * Leaves are stored in chunks of 1,024. Because that is a power of two, a chunk is a whole subtree. So a proof needs
 * the leaves of one chunk and the roots of all chunks, not all leaves.
 */

import { createHash } from 'node:crypto';

/** Leaves per chunk. Must be a power of two, so that chunks are subtrees. */
export const CHUNK_LEAVES = 1_024;

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** SHA-256 of a byte 0 and the line, without a line feed at its end. */
export function leafOf(line: string): Buffer {
  return createHash('sha256').update(LEAF).update(line, 'utf8').digest();
}

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/**
 * The root over hashes in their order: leaves, or the roots of all chunks. Without hashes, it is the hash of nothing.
 */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest();
  if (hashes.length === 1) return hashes[0]!;
  const split = leftLeaves(hashes.length);
  return nodeOf(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** Computes the root over hashes one after another. It stores one hash for each level of the tree, not all of them. */
export class RootHasher {
  /** Whole subtrees from left to right, each smaller than the one before: one for each bit of the count. */
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

  /** The root over all hashes added so far, the same as `rootOf`. */
  root(): Buffer {
    if (this.#subtrees.length === 0) return rootOf([]);
    return this.#subtrees.reduceRight((right, left) => nodeOf(left, right));
  }
}

/** The sibling hashes on the path from a hash to the root, from the bottom. */
export function pathOf(hashes: readonly Buffer[], index: number): Buffer[] {
  if (hashes.length <= 1) return [];
  const split = leftLeaves(hashes.length);
  return index < split
    ? [...pathOf(hashes.slice(0, split), index), rootOf(hashes.slice(split))]
    : [...pathOf(hashes.slice(split), index - split), rootOf(hashes.slice(0, split))];
}

/** The root that a leaf's path leads to; undefined if the path has the wrong length. */
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

/** Number of hashes in the left part of a tree: the greatest power of two below their number. */
function leftLeaves(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}
