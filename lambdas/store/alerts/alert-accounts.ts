/** Accounts that have, or had, settings of alerts, and the progress of scans of these accounts. */

import { queryItems, readItem } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, type Key, type Write } from '../table/writes.ts';

const LIST = 'ALERTS#ACCOUNTS';
const ENTRY = 'ACCOUNT#';

/** Adds an account to the list, in which it stays. */
export function alertAccountPut(table: Table, accountId: string): Write {
  return put(table, { pk: LIST, sk: `${ENTRY}${accountId}`, entity: 'alert_account' });
}

export interface AlertScan {
  /** Unique name, for example with the day of a daily scan. */
  name: string;
  /** Time in epoch ms after which DynamoDB deletes the scan's progress. A later run would begin again. */
  untilMs: number;
}

function scanKey({ name }: AlertScan): Key {
  return { pk: LIST, sk: `SCAN#${name}` };
}

export interface Revisit {
  failures: number;
  atMs: number;
}

export interface ScanProgress {
  /** Last account whose first visit was made; `done` after the last account, and undefined before the first one. */
  after: string | undefined;
  /** Accounts up to `after` that must be visited again, by their ids. */
  revisits: Record<string, Revisit>;
}

export async function readScanProgress(table: Table, scan: AlertScan): Promise<ScanProgress> {
  const item = await readItem(table, scanKey(scan));
  const revisits = Object.entries((item?.['revisits'] ?? {}) as Record<string, Record<string, unknown>>);
  return {
    after: item?.['after'] as string | undefined,
    revisits: Object.fromEntries(
      revisits.map(([id, { failures, atMs }]) => [id, { failures: numberFrom(failures), atMs: numberFrom(atMs) }]),
    ),
  };
}

export const SCAN_DONE = 'done';

export async function saveScanProgress(table: Table, scan: AlertScan, progress: ScanProgress): Promise<void> {
  const expires = { [TTL_ATTRIBUTE]: Math.ceil(scan.untilMs / 1_000) };
  const item = { ...scanKey(scan), entity: 'alert_scan', ...progress, ...expires };
  await writeAlone(table, put(table, item));
}

export async function* listAlertAccounts(table: Table, after = ''): AsyncGenerator<string, void> {
  const entries = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': LIST, ':from': `${ENTRY}${after}`, ':to': `${ENTRY}~` },
  });
  for await (const { sk } of entries) {
    const accountId = (sk as string).slice(ENTRY.length);
    if (accountId !== after) yield accountId;
  }
}
