/**
 * Spending of an account and of its workspaces, members and keys up to the end of a day. It was compared with the
 * counters, so that later comparisons need not read earlier rows.
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
  /** Last included UTC day. */
  through: text('through'),
  spent: money('spent_rub'),
});
export type ProvedSpending = RecordOf<typeof provedSpendingRecord>;

export const provedSpendingAttributes = provedSpendingRecord.attributes;

export type SpentBefore = Pick<ProvedSpending, 'through' | 'spent'>;

export interface ProvedAccount {
  /** Last proved UTC day. A scope without an entry had spent nothing by the end of that day. */
  through: string;
  scopes: ProvedSpending[];
}

const CHAIN = 'CHAIN';
const WRITTEN_AT_ONCE = 16;

function partitionOf(accountId: string): string {
  return `PROVED#${accountId}`;
}

/** Returns the proved spending of an account and its scopes; undefined if the account has none. */
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
 * Stores proved spending. The account's day is written last, so if the process dies before, readers find the old day.
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
