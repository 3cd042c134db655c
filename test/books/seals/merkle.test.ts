import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CHUNK_LEAVES, leafOf, pathOf, rootByPath, RootHasher, rootOf } from '../../../lambdas/books/seals/merkle.ts';

/** Leaves in hex: test vectors of Google's implementation of RFC 6962 (Certificate Transparency). */
const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
/** Beginnings of the roots over the first leaf, the first two leaves, and so on. */
const roots = ['6e340b9c', 'fac54203', 'aeb6bcfe', 'd37ee418', '4e3bbb1f', '76e67dad', 'ddb89be4', '5dc9da79'];

const leafOfBytes = (hex: string) =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from([0]), Buffer.from(hex, 'hex')]))
    .digest();
const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leafOf(`line ${index}`));

describe('the Merkle tree', () => {
  it('has the roots of RFC 6962', () => {
    const leaves = known.map(leafOfBytes);
    expect(
      roots.map((_, index) =>
        rootOf(leaves.slice(0, index + 1))
          .toString('hex')
          .slice(0, 8),
      ),
    ).toEqual(roots);
  });

  it('has the hash of the empty string as the root without leaves', () => {
    expect(rootOf([]).toString('hex')).toMatch(/^e3b0c442/);
  });

  it.each([1, 2, 3, 7, 8, 9, 31, 33])('proves each of %i leaves', (count) => {
    const leaves = leavesOf(count);
    const root = rootOf(leaves);
    for (const [index, leaf] of leaves.entries()) {
      expect(rootByPath(leaf, { index, leaves: count, path: pathOf(leaves, index) })).toEqual(root);
    }
  });

  it('does not prove another leaf, or a leaf at another place', () => {
    const leaves = leavesOf(13);
    const [index, path] = [5, pathOf(leaves, 5)];
    const root = rootOf(leaves);
    expect(rootByPath(leafOf('line 6'), { index, leaves: 13, path })).not.toEqual(root);
    expect(rootByPath(leaves[5]!, { index: 4, leaves: 13, path })).not.toEqual(root);
    expect(rootByPath(leaves[5]!, { index, leaves: 13, path: path.slice(1) })).not.toEqual(root);
    expect(rootByPath(leaves[5]!, { index, leaves: 13, path: [...path, root] })).not.toEqual(root);
  });

  it('has the same root if its leaves are added one by one', () => {
    const hasher = new RootHasher();
    const leaves = leavesOf(2 * CHUNK_LEAVES + 77);
    expect(hasher.root()).toEqual(rootOf([]));
    for (const [index, leaf] of leaves.entries()) {
      hasher.add(leaf);
      if (index < 70 || index > 2 * CHUNK_LEAVES) expect(hasher.root()).toEqual(rootOf(leaves.slice(0, index + 1)));
    }
    expect(hasher.count).toBe(leaves.length);
  });

  it('has the same root and the same paths if it is built from chunks', () => {
    const leaves = leavesOf(2 * CHUNK_LEAVES + 77);
    const chunks = [0, 1, 2].map((place) => leaves.slice(place * CHUNK_LEAVES, (place + 1) * CHUNK_LEAVES));
    const chunkRoots = chunks.map(rootOf);
    const index = CHUNK_LEAVES + 700;

    expect(rootOf(chunkRoots)).toEqual(rootOf(leaves));
    expect([...pathOf(chunks[1]!, 700), ...pathOf(chunkRoots, 1)]).toEqual(pathOf(leaves, index));
  });
});
