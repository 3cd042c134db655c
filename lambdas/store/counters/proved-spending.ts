/**
 * The spending of each scope of an account up to the end of a day, as its daily rows said when they were compared with its counter. Lifetime
 * windows are compared from there on, so that nobody has to read all rows there ever were.
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

/** The scopes of an account, as far as they are proved. */
export interface ProvedAccount {
  /** The UTC day up to which every scope is proved; one that has no spending of its own here had spent nothing by then. */
  through: string;
  scopes: ProvedSpending[];
}

const CHAIN = 'CHAIN';
const WRITTEN_AT_ONCE = 16;

function partitionOf(accountId: string): string {
  return `PROVED#${accountId}`;
}

/** @returns undefined where nothing is proved yet */
export async function readProvedAccount(table: Table, accountId: string): Promise<ProvedAccount | undefined> {
  const items = await Array.fromAsync(queryPartition(table, partitionOf(accountId)));
  const chain = items.find(({ sk }) => sk === CHAIN);
  if (!chain) return undefined;
  return {
    through: chain['through'] as string,
    scopes: items.filter((item) => item !== chain).map(provedSpendingRecord.from),
  };
}

/** Scopes first, each with its own day: who reads a part of them finds the account where it was, and adds the same days to the others. */
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
