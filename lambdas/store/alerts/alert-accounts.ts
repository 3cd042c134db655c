/** List of the accounts that have, or had, settings of alerts, and the progress of scans of this list. */

import { queryItems, readItem } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, type Key, type Write } from '../table/writes.ts';

const LIST = 'ALERTS#ACCOUNTS';
const ENTRY = 'ACCOUNT#';

/** Returns the write that adds an account to the list. An account stays in the list. */
export function alertAccountPut(table: Table, accountId: string): Write {
  return put(table, { pk: LIST, sk: `${ENTRY}${accountId}`, entity: 'alert_account' });
}

/** A scan of all listed accounts, which may take several runs of a worker. */
export interface AlertScan {
  /** Unique name, for example with the day of a daily scan. */
  name: string;
  /**
   * Time in epoch ms after which DynamoDB deletes the scan's progress. A later run of the same name would begin again,
   * so choose a time after the last run.
   */
  untilMs: number;
}

function scanKey({ name }: AlertScan): Key {
  return { pk: LIST, sk: `SCAN#${name}` };
}

/** Next visit of an account whose visits have failed. */
export interface Revisit {
  /** Number of visits that have failed. */
  failures: number;
  /** Time in epoch ms before which the account is not visited again. */
  atMs: number;
}

/** Progress of a scan. */
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

/** Yields the listed accounts in the order of their ids, starting after the id `after`. */
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
