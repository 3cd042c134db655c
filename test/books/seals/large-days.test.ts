/** Leaves of days with millions of lines, created without the lines. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LeafFile } from '../../../lambdas/books/seals/leaf-file.ts';
import { ownerBytes } from '../../../lambdas/books/seals/line-file.ts';
import { CHUNK_LEAVES, rootOf } from '../../../lambdas/books/seals/merkle.ts';
import {
  keepDayParts,
  leavesFromBytes,
  readChunkRoots,
  readChunks,
  type Leaf,
} from '../../../lambdas/store/days/seals.ts';
import { newTable } from '../../support/table.ts';

const day = { date: '2026-11-20', root: 'root' };
const leafAt = (at: number): Leaf => ({
  owner: ownerBytes(`gen-${String(at).padStart(32, '0')}`),
  hash: createHash('sha256').update(String(at)).digest(),
});

it('a day of ten million lines has the roots of all its chunks in the table', async () => {
  const table = await newTable();
  const index = Array.from({ length: Math.ceil(10_000_000 / CHUNK_LEAVES) }, (_, at) => leafAt(at));
  await keepDayParts(table, 'account', day, { index, async *chunks() {} }, []);

  expect(await readChunkRoots(table, 'account', day)).toEqual(index);
});

it('leaves on the disk come back in chunks, with the root of each chunk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-leaf-file-'));
  const file = await LeafFile.create(join(directory, 'leaves'));
  const leaves = Array.from({ length: 2 * CHUNK_LEAVES + 1 }, (_, at) => leafAt(at));
  for (const leaf of leaves) await file.add(leaf);
  await file.end();
  const chunks = (await Array.fromAsync(file.chunks())).map(leavesFromBytes);
  const table = await newTable();
  await keepDayParts(table, 'account', day, file, []);
  await file.close();
  rmSync(directory, { recursive: true });

  expect(chunks.map((chunk) => chunk.length)).toEqual([CHUNK_LEAVES, CHUNK_LEAVES, 1]);
  expect(chunks.flat()).toEqual(leaves);
  expect(file.index).toEqual(
    chunks.map((chunk) => ({ owner: chunk[0]!.owner, hash: rootOf(chunk.map(({ hash }) => hash)) })),
  );
  expect((await readChunks(table, 'account', day, [1, 2])).get(2)).toEqual(chunks[2]);
});
