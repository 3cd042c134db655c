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

/** Progress of a scan. */
export interface ScanProgress {
  /** Last visited account; `done` after the last one, and undefined before the first one. */
  after: string | undefined;
  /** Accounts whose visits have failed, with the number of failures. They are visited again. */
  failed: Record<string, number>;
}

export async function readScanProgress(table: Table, scan: AlertScan): Promise<ScanProgress> {
  const item = await readItem(table, scanKey(scan));
  const failed = Object.entries((item?.['failed'] ?? {}) as Record<string, unknown>);
  return {
    after: item?.['after'] as string | undefined,
    failed: Object.fromEntries(failed.map(([id, times]) => [id, numberFrom(times)])),
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
