/**
 * Compares the table's copies of sealed days with the files.
 *
 * Weakness: the estimates in `OPEN#` items cannot be compared with files.
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
import type { ReportFinding } from './findings.ts';
import { isPaymentKind, SealedLineReader } from './sealed-lines.ts';

/**
 * Compares the table's record of the last sealed day with the files.
 * @param last last day with files, if any; without it, the record must name no day
 */
export function compareHead(head: SealHead, last: CheckedDay | undefined, report: ReportFinding): void {
  const statement = last?.statement;
  const fields: ComparedFields = {
    'seal_head.date': [head.date, statement?.date],
    'seal_head.statement_sha256': [head.sha256, last?.sha256],
    'seal_head.root': [head.root, statement?.lines.root],
    'seal_head.usage_rub': [String(head.usage), String(Money.parse(statement?.usage_so_far_rub ?? '0'))],
    'seal_head.paid_rub': [String(head.paid), String(Money.parse(statement?.paid_so_far_rub ?? '0'))],
  };
  compareFields(fields, report);
}

/** Compares a day's item and its leaves in the table with the files. */
export async function compareCopy(
  { table, directory, account }: { table: Table; directory: string; account: string },
  { day, copy }: { day: CheckedDay; copy: SealedDay | undefined },
  report: ReportFinding,
): Promise<void> {
  if (!copy) return report('sealed_day', 'is missing in the table');
  const { statement, sha256, signature } = day;
  const fields: ComparedFields = {
    'sealed_day.statement, its SHA-256,': [sha256Of(copy.statement), sha256],
    'sealed_day.statement_sha256': [copy.sha256, sha256],
    'sealed_day.root': [copy.root, statement.lines.root],
    'sealed_day.leaves': [String(copy.leaves), String(statement.lines.count)],
    // The check of the files reports a missing signature.
    'sealed_day.signature': [copy.signature, signature ?? copy.signature],
    'sealed_day.key_id': [copy.keyId, statement.key_id],
  };
  compareFields(fields, report);
  // The check of the files reports lines that do not match the root.
  if (day.isProven) await compareLeaves({ table, directory, account }, statement, report);
}

type ComparedFields = Record<string, [kept: string | undefined, sealed: string | undefined]>;

function compareFields(fields: ComparedFields, report: ReportFinding): void {
  for (const [where, [kept, sealed]] of Object.entries(fields)) {
    if (kept !== sealed) report(where, `is ${kept ?? 'missing'} in the table, but ${sealed ?? 'missing'} in the files`);
  }
}

async function compareLeaves(
  { table, directory, account }: { table: Table; directory: string; account: string },
  { date, lines: { file, root } }: SealStatement,
  report: ReportFinding,
): Promise<void> {
  const day = { date, root };
  const index = await readChunkRoots(table, account, day);
  let place = 0;
  for await (const leaves of chunksIn(join(directory, sealFiles(account, date).lines(file)))) {
    const kept = (await readChunks(table, account, day, [place])).get(place) ?? [];
    const differing = leaves.findIndex((leaf, at) => !isSameLeaf(kept[at], leaf));
    if (differing !== -1) {
      const is = kept[differing] ? 'another leaf' : 'no leaf';
      report('seal_part', `has ${is} of line ${place * CHUNK_LEAVES + differing + 1} in the table`);
    } else if (kept.length > leaves.length) report('seal_part', 'has more leaves in the table than there are lines');
    const entry = { owner: leaves[0]!.owner, hash: rootOf(leaves.map(({ hash }) => hash)) };
    if (!isSameLeaf(index[place], entry)) report('seal_part', `has another entry of chunk ${place} in the table`);
    place += 1;
  }
  if (index.length > place) report('seal_part', 'has more chunks in the table than the lines need');
}

/** Yields the leaves of a file in chunks of the same size as in the table. */
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
