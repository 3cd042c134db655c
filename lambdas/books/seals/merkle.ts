/**
 * The tree of hashes of RFC 6962 §2.1 (Certificate Transparency), over SHA-256: whoever has its root can be shown that a line is in it,
 * by one hash for each level, and no line can be changed, left out, added or moved without changing the root.
 *
 * Leaves are kept in chunks of 1,024. A chunk is a whole subtree, because that is a power of two, so a proof needs the leaves of one
 * chunk and the roots of all, not the leaves of all.
 */

import { createHash } from 'node:crypto';

/** Leaves of a chunk. A power of two: only then are chunks subtrees. */
export const CHUNK_LEAVES = 1_024;

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** SHA-256 of a byte 0 and the line, which has no line feed at its end. */
export function leafOf(line: string): Buffer {
  return createHash('sha256').update(LEAF).update(line, 'utf8').digest();
}

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The root over hashes in their order: leaves, or the roots of all chunks. Of none, it is the hash of nothing. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 0) return createHash('sha256').digest();
  if (hashes.length === 1) return hashes[0]!;
  const split = leftLeaves(hashes.length);
  return nodeOf(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** The root over hashes that come one after the other: it remembers one hash for each level of the tree, not all of them. */
export class RootHasher {
  /** Whole subtrees from left to right, each of them smaller than the one before: one for each bit of the count. */
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

  /** The root over all that were added so far, the same as `rootOf` has of them. */
  root(): Buffer {
    if (this.#subtrees.length === 0) return rootOf([]);
    return this.#subtrees.reduceRight((right, left) => nodeOf(left, right));
  }
}

/** The hashes beside the way from one of them to the root, from below. */
export function pathOf(hashes: readonly Buffer[], index: number): Buffer[] {
  if (hashes.length <= 1) return [];
  const split = leftLeaves(hashes.length);
  return index < split
    ? [...pathOf(hashes.slice(0, split), index), rootOf(hashes.slice(split))]
    : [...pathOf(hashes.slice(split), index - split), rootOf(hashes.slice(0, split))];
}

/** The root that a leaf at an index leads to by its path; undefined where the path is not as long as the way. */
export function rootByPath(
  leaf: Buffer,
  { index, leaves, path }: { index: number; leaves: number; path: readonly Buffer[] },
): Buffer | undefined {
  if (leaves === 1) return path.length === 0 ? leaf : undefined;
  const beside = path.at(-1);
  if (!beside) return undefined;
  const below = path.slice(0, -1);
  const split = leftLeaves(leaves);
  const isLeft = index < split;
  const own = rootByPath(leaf, {
    index: isLeft ? index : index - split,
    leaves: isLeft ? split : leaves - split,
    path: below,
  });
  return own && (isLeft ? nodeOf(own, beside) : nodeOf(beside, own));
}

/** How many of so many are in the left part of a tree: the greatest power of two below their number. */
function leftLeaves(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}
