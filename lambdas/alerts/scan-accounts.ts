import { nowMs } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import {
  listAlertAccounts,
  readScanProgress,
  saveScanProgress,
  SCAN_DONE,
  type AlertScan,
  type Revisit,
  type ScanProgress,
} from '../store/alerts/alert-accounts.ts';
import type { Table } from '../store/table/table.ts';

/**
 * Times in minutes from a failed visit to the next visit. If the last of these visits fails too, the scan leaves the
 * account out.
 */
const REVISIT_AFTER_MINUTES = [5, 30, 120, 360];
/** Maximum number of accounts that are remembered because their visits failed. */
const MAX_REVISITS = 100;
/** Number of failed first visits in a row that count as a failure of the gateway instead of the accounts. */
const MAX_FAILURES_IN_ROW = 10;

/**
 * Visits every account that has alerts, once for each scan. A run continues where the last one stopped. If a run is
 * stopped, or two runs overlap, an account may be visited again, so a visit must be repeatable.
 *
 * Guarantee: an account whose visit fails does not stop the scan: later runs visit it again. Ten failed first visits in
 * a row end the run and do not count, because their cause is probably common. Weakness: if the visits of ten adjacent
 * accounts always fail, the accounts after them wait until the cause is fixed.
 * @param deadlineMs time of performance.now() after which no further account is visited
 * @throws {AggregateError} with the failures of all visits, after everything else is done
 */
export async function scanAccounts(
  table: Table,
  scan: AlertScan,
  { visit, deadlineMs }: { visit: (accountId: string) => Promise<void>; deadlineMs: number },
): Promise<void> {
  const progress = await readScanProgress(table, scan);
  const failures: unknown[] = [];
  const run: ScanRun = {
    progress,
    save: () => saveScanProgress(table, scan, progress),
    isOver: () => performance.now() >= deadlineMs,
    async succeeds(accountId) {
      try {
        await visit(accountId);
        return true;
      } catch (error) {
        failures.push(error);
        log('error', 'account not checked', { accountId, ...describeError(error) });
        return false;
      }
    },
  };
  const due = Object.keys(progress.revisits).filter((id) => progress.revisits[id]!.atMs <= nowMs());
  const isUsable = progress.after === SCAN_DONE || (await visitFirst(run, listAlertAccounts(table, progress.after)));
  if (isUsable) await visitAgain(run, due);
  if (failures.length > 0) throw new AggregateError(failures, `The scan had ${failures.length} failures`);
}

interface ScanRun {
  progress: ScanProgress;
  save: () => Promise<void>;
  isOver: () => boolean;
  /** Returns whether the visit succeeded. */
  succeeds: (accountId: string) => Promise<boolean>;
}

/**
 * Visits accounts that this scan has not visited yet.
 * @returns false after too many failures in a row
 */
async function visitFirst(
  { progress, save, isOver, succeeds }: ScanRun,
  accounts: AsyncIterable<string>,
): Promise<boolean> {
  let failuresInRow = 0;
  const saveFailures = async () => {
    if (failuresInRow > 0) await save();
    return true;
  };
  for await (const accountId of accounts) {
    if (isOver()) return saveFailures();
    const hasSucceeded = await succeeds(accountId);
    failuresInRow = hasSucceeded ? 0 : failuresInRow + 1;
    if (failuresInRow >= MAX_FAILURES_IN_ROW) return false;
    if (!hasSucceeded && Object.keys(progress.revisits).length >= MAX_REVISITS) return saveFailures();
    if (!hasSucceeded) progress.revisits[accountId] = revisitAfter(1)!;
    progress.after = accountId;
    if (hasSucceeded) await save();
  }
  progress.after = SCAN_DONE;
  await save();
  return true;
}

async function visitAgain({ progress, save, isOver, succeeds }: ScanRun, due: readonly string[]): Promise<void> {
  for (const accountId of due) {
    if (isOver()) return;
    const { failures } = progress.revisits[accountId]!;
    const next = (await succeeds(accountId)) ? undefined : revisitAfter(failures + 1);
    if (next) progress.revisits[accountId] = next;
    else delete progress.revisits[accountId];
    await save();
  }
}

/** Returns the next visit of an account after a number of failures; undefined if there is none. */
function revisitAfter(failures: number): Revisit | undefined {
  const minutes = REVISIT_AFTER_MINUTES[failures - 1];
  return minutes === undefined ? undefined : { failures, atMs: nowMs() + minutes * 60_000 };
}
