import { describeError, log } from '../platform/logger.ts';
import {
  listAlertAccounts,
  readScanProgress,
  saveScanProgress,
  SCAN_DONE,
  type AlertScan,
} from '../store/alerts/alert-accounts.ts';
import type { Table } from '../store/table/table.ts';

/** Maximum number of visits of an account that fail. Later runs then leave it out. */
const MAX_FAILED_VISITS = 5;
/** Maximum number of accounts that are remembered because their visits failed. */
const MAX_FAILED_ACCOUNTS = 100;

/**
 * Visits every account that has alerts, once for each scan. A run continues where the last one stopped. If a run is
 * stopped, or two runs overlap, an account may be visited again, so a visit must be repeatable.
 *
 * Guarantee: an account whose visit fails does not stop the scan. Later runs visit it again, up to four times.
 * @param deadlineMs time of performance.now() after which no further account is visited
 * @throws {AggregateError} with the failures of all visits, after everything else is done
 */
export async function scanAccounts(
  table: Table,
  scan: AlertScan,
  { visit, deadlineMs }: { visit: (accountId: string) => Promise<void>; deadlineMs: number },
): Promise<void> {
  const { after, failed } = await readScanProgress(table, scan);
  const failures: unknown[] = [];
  const visited = async (accountId: string) => {
    const times = failed[accountId] ?? 0;
    delete failed[accountId];
    try {
      await visit(accountId);
    } catch (error) {
      failures.push(error);
      log('error', 'account not checked', { accountId, ...describeError(error) });
      const isRemembered = times + 1 < MAX_FAILED_VISITS && Object.keys(failed).length < MAX_FAILED_ACCOUNTS;
      if (isRemembered) failed[accountId] = times + 1;
    }
  };
  const again = Object.keys(failed);
  if (after !== SCAN_DONE) {
    for await (const accountId of listAlertAccounts(table, after)) {
      if (performance.now() >= deadlineMs) return throwAll(failures);
      await visited(accountId);
      await saveScanProgress(table, scan, { after: accountId, failed });
    }
    await saveScanProgress(table, scan, { after: SCAN_DONE, failed });
  }
  for (const accountId of again) {
    if (performance.now() >= deadlineMs) break;
    await visited(accountId);
    await saveScanProgress(table, scan, { after: SCAN_DONE, failed });
  }
  throwAll(failures);
}

function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, `The scan had ${failures.length} failures`);
}
