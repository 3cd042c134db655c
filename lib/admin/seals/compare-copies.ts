/**
 * Compares what the table keeps of sealed days with their files: statements that management keys read, leaves that proofs are made of, and
 * how far an account is sealed, from which the next day goes on.
 *
 * Weakness: what `OPEN#` says of estimates cannot be told from files. Where it lacks something, the lifetime counter differs from what all
 * sealed days come to (lambdas/books/seals/lifetime.ts).
 */

import { join } from 'node:path';
import { ownerBytes } from '../../../lambdas/books/seals/line-file.ts';
import { CHUNK_LEAVES, leafOf, rootOf } from '../../../lambdas/books/seals/merkle.ts';
import { sealFiles, sha256Of, type SealStatement } from '../../../lambdas/books/seals/seal-statement.ts';
import { Money } from '../../../lambdas/money/money.ts';
import {
  readChunkRoots,
  readChunks,
  type Leaf,
  type SealedDay,
  type SealHead,
} from '../../../lambdas/store/days/seals.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import type { CheckedDay } from './check-files.ts';
import type { TellFinding } from './findings.ts';
import { isPaymentKind, SealedLineReader } from './sealed-lines.ts';

/** @param last of the days that have files: the one that the head names, or none where it names none */
export function compareHead(head: SealHead, last: CheckedDay | undefined, tell: TellFinding): void {
  const statement = last?.statement;
  const fields: ComparedFields = {
    'seal_head.date': [head.date, statement?.date],
    'seal_head.statement_sha256': [head.sha256, last?.sha256],
    'seal_head.root': [head.root, statement?.lines.root],
    'seal_head.usage_rub': [String(head.usage), String(Money.parse(statement?.usage_so_far_rub ?? '0'))],
    'seal_head.paid_rub': [String(head.paid), String(Money.parse(statement?.paid_so_far_rub ?? '0'))],
  };
  compareFields(fields, tell);
}

/** A day's item, and the leaves of its parts. */
export async function compareCopy(
  { table, directory, account }: { table: Table; directory: string; account: string },
  { day, copy }: { day: CheckedDay; copy: SealedDay | undefined },
  tell: TellFinding,
): Promise<void> {
  if (!copy) return tell('sealed_day', 'is not in the table');
  const { statement, sha256, signature } = day;
  const fields: ComparedFields = {
    'sealed_day.statement, its SHA-256,': [sha256Of(copy.statement), sha256],
    'sealed_day.statement_sha256': [copy.sha256, sha256],
    'sealed_day.root': [copy.root, statement.lines.root],
    'sealed_day.leaves': [String(copy.leaves), String(statement.lines.count)],
    // Where the file has no signature of the key, that is told already.
    'sealed_day.signature': [copy.signature, signature ?? copy.signature],
    'sealed_day.key_id': [copy.keyId, statement.key_id],
  };
  compareFields(fields, tell);
  // Where lines are not those of the root, that is told already.
  if (day.isProven) await compareLeaves({ table, directory, account }, statement, tell);
}

/** What the table has of something, and what the files say of it. */
type ComparedFields = Record<string, [kept: string | undefined, sealed: string | undefined]>;

function compareFields(fields: ComparedFields, tell: TellFinding): void {
  for (const [where, [kept, sealed]] of Object.entries(fields)) {
    if (kept !== sealed) tell(where, `is ${kept ?? 'none'} in the table, and ${sealed ?? 'none'} in the files`);
  }
}

async function compareLeaves(
  { table, directory, account }: { table: Table; directory: string; account: string },
  { date, lines: { file, root } }: SealStatement,
  tell: TellFinding,
): Promise<void> {
  const day = { date, root };
  const index = await readChunkRoots(table, account, day);
  let place = 0;
  for await (const leaves of chunksIn(join(directory, sealFiles(account, date).lines(file)))) {
    const kept = (await readChunks(table, account, day, [place])).get(place) ?? [];
    const differing = leaves.findIndex((leaf, at) => !isSameLeaf(kept[at], leaf));
    if (differing !== -1) {
      const is = kept[differing] ? 'another leaf' : 'no leaf';
      tell('seal_part', `has ${is} of line ${place * CHUNK_LEAVES + differing + 1} in the table`);
    } else if (kept.length > leaves.length) tell('seal_part', 'has more leaves in the table than there are lines');
    const entry = { owner: leaves[0]!.owner, hash: rootOf(leaves.map(({ hash }) => hash)) };
    if (!isSameLeaf(index[place], entry)) tell('seal_part', `has another entry of chunk ${place} in the table`);
    place += 1;
  }
  if (index.length > place) tell('seal_part', 'has more chunks in the table than there are lines for');
}

/** The leaves of a file's lines, as many at a time as a part of the table has. */
async function* chunksIn(path: string): AsyncGenerator<Leaf[], void> {
  let leaves: Leaf[] = [];
  for await (const { text, kind, id } of new SealedLineReader(path).lines()) {
    leaves.push({ owner: ownerBytes(isPaymentKind(kind) ? undefined : id), hash: leafOf(text) });
    if (leaves.length < CHUNK_LEAVES) continue;
    yield leaves;
    leaves = [];
  }
  if (leaves.length > 0) yield leaves;
}

function isSameLeaf(kept: Leaf | undefined, { owner, hash }: Leaf): boolean {
  return kept !== undefined && kept.owner.equals(owner) && kept.hash.equals(hash);
}
