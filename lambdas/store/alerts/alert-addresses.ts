/**
 * Hashes of the e-mail addresses that the deployment has subscribed to notices of accounts. An address stays in the
 * list when the settings no longer have it, because its subscription stays too.
 */

import { readItem } from '../table/query.ts';
import { count, list, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { putNew, putOver, type Key } from '../table/writes.ts';

/**
 * Maximum number of addresses. Each address has a filter policy, and an SNS topic has at most 200 filter policies.
 * @see https://docs.aws.amazon.com/general/latest/gr/sns.html
 */
export const MAX_ADDRESSES = 200;

const addressRecord = record({ accountId: text('account_id'), hash: text('hash') });

const addressListRecord = record({
  addresses: list('addresses', addressRecord, MAX_ADDRESSES),
  version: count('version'),
});

/** List of subscribed addresses. If two accounts use an address, the list contains it twice. */
export type AlertAddresses = RecordOf<typeof addressListRecord>;

const KEY: Key = { pk: 'ALERTS#ADDRESSES', sk: 'LIST' };

export async function readAlertAddresses(table: Table): Promise<AlertAddresses> {
  const item = await readItem(table, KEY);
  return item ? addressListRecord.from(item) : { addresses: [], version: 0 };
}

/** Replaces the list. Returns false if it has changed since it was read. */
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
