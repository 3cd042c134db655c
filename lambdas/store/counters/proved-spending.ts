/**
 * Spending of an account and of its workspaces, members and keys up to the end of a day. This spending was proved:
 * daily rows were added up and compared with the counters. A later comparison of lifetime windows starts from this
 * spending, and need not read earlier rows.
 */

import { ownerKinds, type ScopeId } from './counters.ts';
import { queryPartition } from '../table/query.ts';
import { money, oneOf, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

const provedSpendingRecord = record({
  kind: oneOf('scope_kind', ownerKinds),
  id: text('scope_id'),
  /** Last UTC day that the sum includes. */
  through: text('through'),
  spent: money('spent_rub'),
});
export type ProvedSpending = RecordOf<typeof provedSpendingRecord>;

export const provedSpendingAttributes = provedSpendingRecord.attributes;

/** Spending of a scope from its first day through the day `through`. */
export type SpentBefore = Pick<ProvedSpending, 'through' | 'spent'>;

export interface ProvedAccount {
  /**
   * Last UTC day for which the spending of every scope is proved. A scope without an entry had spent nothing by its
   * end.
   */
  through: string;
  scopes: ProvedSpending[];
}

const CHAIN = 'CHAIN';
const WRITTEN_AT_ONCE = 16;

function partitionOf(accountId: string): string {
  return `PROVED#${accountId}`;
}

/**
 * Returns the proved spending of an account.
 * @returns undefined if the account has no proved spending
 */
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
 * Writes the scopes first, each with its day, and the account's day last. If the process dies in between, readers still
 * find the account's old day. They add the missing days to the scopes that have the old day.
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
