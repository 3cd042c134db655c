/**
 * E-mail addresses that the deployment has subscribed to notices of accounts, in one item. An address stays in the list
 * when the settings no longer have it, because its subscription stays too. The item has hashes instead of addresses.
 */

import { readItem } from '../table/query.ts';
import { count, list, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { putNew, putOver, type Key } from '../table/writes.ts';

/**
 * Maximum number of addresses. Each has a filter policy, and an SNS topic has at most 200 of them.
 * @see https://docs.aws.amazon.com/general/latest/gr/sns.html
 */
export const MAX_ADDRESSES = 200;

const addressRecord = record({ accountId: text('account_id'), hash: text('hash') });

const addressListRecord = record({
  addresses: list('addresses', addressRecord, MAX_ADDRESSES),
  /** Number of changes. */
  version: count('version'),
});

/** Subscribed addresses of all accounts. An address that two accounts use is in the list twice. */
export type AlertAddresses = RecordOf<typeof addressListRecord>;

const KEY: Key = { pk: 'ALERTS#ADDRESSES', sk: 'LIST' };

export async function readAlertAddresses(table: Table): Promise<AlertAddresses> {
  const item = await readItem(table, KEY);
  return item ? addressListRecord.from(item) : { addresses: [], version: 0 };
}

/**
 * Replaces the list, if it has not changed since it was read.
 * @returns whether it was replaced
 */
export async function replaceAlertAddresses(
  table: Table,
  before: AlertAddresses,
  addresses: AlertAddresses['addresses'],
): Promise<boolean> {
  const next = { addresses, version: before.version + 1 };
  const item = { ...KEY, entity: 'alert_addresses', ...addressListRecord.toItem(next) };
  const write = before.version === 0 ? putNew(table, item) : putOver(table, item, before.version);
  return (await writeAlone(table, write)) === undefined;
}
