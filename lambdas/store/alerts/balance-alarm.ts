import { readItem } from '../table/query.ts';
import { count, oneOf, optional, record, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

/** Levels of a prepaid balance, in the order in which a balance falls. */
export const balanceLevels = ['sufficient', 'low', 'exhausted'] as const;
export type BalanceLevel = (typeof balanceLevels)[number];

const balanceAlarmRecord = record({
  /** Lowest level since the balance was last sufficient. */
  level: oneOf('level', balanceLevels),
  /** Revision of the limits at the last reported refusal; absent if none was reported since a sufficient payment. */
  refusedRevision: optional(count('refused_revision')),
  /** Number of changes. */
  version: count('version'),
});

/** Level of an account's balance that the last check recorded, and the refusal that it reported, if any. */
export type BalanceAlarm = RecordOf<typeof balanceAlarmRecord>;

function balanceAlarmKey(accountId: string): Key {
  return { pk: `ALERTS#${accountId}`, sk: 'BALANCE' };
}

export async function readBalanceAlarm(table: Table, accountId: string): Promise<BalanceAlarm> {
  const item = await readItem(table, balanceAlarmKey(accountId));
  return item ? balanceAlarmRecord.from(item) : { level: 'sufficient', refusedRevision: undefined, version: 0 };
}

/** Removes the level, so that the next check sends a notice if the balance is low. */
export function balanceAlarmRemoval(table: Table, accountId: string): Write {
  return remove(table, balanceAlarmKey(accountId));
}

/** Sets the level and the reported refusal, if neither has changed since they were read. */
export function balanceAlarmPut(
  table: Table,
  accountId: string,
  before: BalanceAlarm,
  after: Omit<BalanceAlarm, 'version'>,
): Write {
  const item = {
    ...balanceAlarmKey(accountId),
    entity: 'balance_alarm',
    ...balanceAlarmRecord.toItem({ ...after, version: before.version + 1 }),
  };
  return before.version === 0 ? putNew(table, item) : putOver(table, item, before.version);
}
