import {
  listAlertAccounts,
  readScanProgress,
  saveScanProgress,
  SCAN_DONE,
  type AlertScan,
} from '../store/alerts/alert-accounts.ts';
import type { Table } from '../store/table/table.ts';

/**
 * Visits every account that has alerts, once for each scan. A run continues where the last one stopped. If a run is
 * stopped, or two runs overlap, an account may be visited again, so a visit must be repeatable.
 * @param deadlineMs time of performance.now() after which no further account is visited
 */
export async function scanAccounts(
  table: Table,
  scan: AlertScan,
  { visit, deadlineMs }: { visit: (accountId: string) => Promise<void>; deadlineMs: number },
): Promise<void> {
  const after = await readScanProgress(table, scan);
  if (after === SCAN_DONE) return;
  for await (const accountId of listAlertAccounts(table, after)) {
    if (performance.now() >= deadlineMs) return;
    await visit(accountId);
    await saveScanProgress(table, scan, accountId);
  }
  await saveScanProgress(table, scan, SCAN_DONE);
}
