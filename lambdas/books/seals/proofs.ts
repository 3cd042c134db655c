import { utcDate } from '../../money/periods.ts';
import type { Generation } from '../../store/generations/generation.ts';
import {
  lateSealsOf,
  readChunkRoots,
  readChunks,
  readSealedDay,
  type Leaf,
  type SealedDay,
} from '../../store/days/seals.ts';
import type { Table } from '../../store/table/table.ts';
import { ownerBytes } from './line-file.ts';
import { CHUNK_LEAVES, leafOf, pathOf } from './merkle.ts';
import { chargeLines, openLine, sealedWidths } from './sealed-line.ts';

interface ProvenLine {
  /** Index of the line among the leaves, from 0. */
  index: number;
  leaf: Buffer;
  /** Sibling hashes from the leaf up to the root. */
  path: Buffer[];
  /** Text of the line, recreated from the current record; undefined if the record changed after the day was sealed. */
  line: string | undefined;
}

export interface SealProof {
  day: SealedDay;
  lines: ProvenLine[];
}

/** Returns the proofs of a final generation, for its own day and for later days that settled or corrected it. */
export async function proofsOf(table: Table, accountId: string, generation: Generation): Promise<SealProof[]> {
  const ownDate = utcDate(generation.createdAtMs);
  const dates = [ownDate, ...(await lateSealsOf(table, accountId, generation.id))];
  const known = knownLines(generation);
  const proofs = await Promise.all(
    dates.map(async (date): Promise<SealProof | undefined> => {
      const day = await readSealedDay(table, accountId, date);
      if (!day) return undefined;
      const lines = await provenLines(table, { accountId, day, owner: ownerBytes(generation.id) });
      return { day, lines: lines.map((line) => ({ ...line, line: known.get(line.leaf.toString('hex')) })) };
    }),
  );
  return proofs.filter((proof) => proof !== undefined);
}

const kinds = ['charge', 'late', 'corrected'] as const;

/** Returns all lines that the record may have, by hexadecimal leaf hash. */
function knownLines(generation: Generation): Map<string, string> {
  const { outcome } = generation;
  const final = outcome && { ...generation, outcome };
  const known = sealedWidths.flatMap((width) => [
    openLine(generation, width),
    ...(final ? kinds.flatMap((kind) => chargeLines(final, kind, width)) : []),
  ]);
  return new Map(known.map((line) => [leafOf(line).toString('hex'), line]));
}

async function provenLines(
  table: Table,
  { accountId, day, owner }: { accountId: string; day: SealedDay; owner: Buffer },
): Promise<Omit<ProvenLine, 'line'>[]> {
  const chunkRoots = await readChunkRoots(table, accountId, day);
  const places = placesOf(chunkRoots, owner);
  const chunks = await readChunks(table, accountId, day, places);
  const roots = chunkRoots.map(({ hash }) => hash);
  return places.flatMap((place) => {
    const leaves = chunks.get(place) ?? [];
    const hashes = leaves.map(({ hash }) => hash);
    const above = pathOf(roots, place);
    return leaves.flatMap(({ owner: whose, hash: leaf }, at) =>
      whose.equals(owner) ? [{ index: place * CHUNK_LEAVES + at, leaf, path: [...pathOf(hashes, at), ...above] }] : [],
    );
  });
}

/**
 * Returns the indexes of the chunks that may have leaves of the owner: the last chunk whose first leaf sorts before the
 * owner, and later chunks whose first leaf belongs to the owner.
 */
function placesOf(chunkRoots: readonly Leaf[], owner: Buffer): number[] {
  const places = chunkRoots.map((_, place) => place).filter((place) => chunkRoots[place]!.owner.compare(owner) <= 0);
  const before = places.findLast((place) => chunkRoots[place]!.owner.compare(owner) < 0) ?? 0;
  return places.filter((place) => place >= before);
}
