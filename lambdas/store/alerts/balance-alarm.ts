import { readItem } from '../table/query.ts';
import { count, oneOf, optional, record, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { putNew, putOver, remove, type Key, type Write } from '../table/writes.ts';

/** Levels of a balance, from the highest to the lowest. */
export const balanceLevels = ['sufficient', 'low', 'exhausted'] as const;
export type BalanceLevel = (typeof balanceLevels)[number];

const balanceAlarmRecord = record({
  /** Lowest level since the balance last reached twice the low amount. */
  level: oneOf('level', balanceLevels),
  /** Revision of the limits at the last reported refusal; absent if none was reported since a sufficient payment. */
  refusedRevision: optional(count('refused_revision')),
  version: count('version'),
});

export type BalanceAlarm = RecordOf<typeof balanceAlarmRecord>;

function balanceAlarmKey(accountId: string): Key {
  return { pk: `ALERTS#${accountId}`, sk: 'BALANCE' };
}

export async function readBalanceAlarm(table: Table, accountId: string): Promise<BalanceAlarm> {
  const item = await readItem(table, balanceAlarmKey(accountId));
  return item ? balanceAlarmRecord.from(item) : { level: 'sufficient', refusedRevision: undefined, version: 0 };
}

export function balanceAlarmRemoval(table: Table, accountId: string): Write {
  return remove(table, balanceAlarmKey(accountId));
}

/** Returns the write of the alarm's new state. It fails if the alarm has changed since it was read. */
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
