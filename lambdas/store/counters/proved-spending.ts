/**
 * The spending of each scope of an account up to the end of a day, according to its daily rows when they were compared
 * with its counter. Comparisons of lifetime windows start from it, so that they do not read all rows that ever existed.
 */

import { scopeKinds, type ScopeId } from './counters.ts';
import { queryPartition } from '../table/query.ts';
import { money, oneOf, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

const provedSpendingRecord = record({
  kind: oneOf('scope_kind', scopeKinds),
  id: text('scope_id'),
  /** A UTC day. */
  through: text('through'),
  spent: money('spent_rub'),
});
export type ProvedSpending = RecordOf<typeof provedSpendingRecord>;

export const provedSpendingAttributes = provedSpendingRecord.attributes;

/** The spending of a scope before some days. */
export type SpentBefore = Pick<ProvedSpending, 'through' | 'spent'>;

/** The proved spending of an account's scopes. */
export interface ProvedAccount {
  /** The UTC day up to which every scope is proved. A scope without an entry here had spent nothing by then. */
  through: string;
  scopes: ProvedSpending[];
}

const CHAIN = 'CHAIN';
const WRITTEN_AT_ONCE = 16;

function partitionOf(accountId: string): string {
  return `PROVED#${accountId}`;
}

/** @returns undefined if nothing is proved yet */
export async function readProvedAccount(table: Table, accountId: string): Promise<ProvedAccount | undefined> {
  const items = await Array.fromAsync(queryPartition(table, partitionOf(accountId)));
  const chain = items.find(({ sk }) => sk === CHAIN);
  if (!chain) return undefined;
  return {
    through: chain['through'] as string,
    scopes: items.filter((item) => item !== chain).map(provedSpendingRecord.from),
  };
}

/**
 * Writes scopes first, each with its own day. A reader that sees only some of them finds the account's day unchanged,
 * and adds the same days to the others.
 */
export async function writeProvedAccount(
  table: Table,
  accountId: string,
  { through, scopes }: ProvedAccount,
): Promise<void> {
  const pk = partitionOf(accountId);
  for (let start = 0; start < scopes.length; start += WRITTEN_AT_ONCE) {
    const group = scopes.slice(start, start + WRITTEN_AT_ONCE).map((scope) => {
      const sk = `${scope.kind}#${scope.id}`;
      return writeAlone(
        table,
        put(table, { pk, sk, entity: 'proved_spending', ...provedSpendingRecord.toItem(scope) }),
      );
    });
    await Promise.all(group);
  }
  await writeAlone(table, put(table, { pk, sk: CHAIN, entity: 'proved_account', through }));
}

export function scopeName({ kind, id }: ScopeId): string {
  return `${kind}#${id}`;
}
