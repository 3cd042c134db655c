import { isComplete } from '../accounting/activity.ts';
import { Money } from '../money/money.ts';
import { datesBetween } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import { writeMetrics } from '../platform/metrics.ts';
import { readDay } from '../store/activity.ts';
import type { Account } from '../store/accounts.ts';
import { saveDaysDone } from '../store/day-progress.ts';
import type { Table } from '../store/table.ts';
import { dueDay, eachAccountOf } from './each-account.ts';
import { reconcile } from './reconcile.ts';

/** As many differences of one account as are told; the command line shows all. */
const MAX_TOLD = 10;

/**
 * Compares the rows of each account's month so far with its counters, once after each day: so no record is read again, only rows
 * and counters. The next run goes on where one has run out of time.
 *
 * A difference is told in the log, in a line that has an alarm; so is a day that could not be compared in time. An account whose rows do
 * not come holds the others up no longer than that.
 * Weakness: lifetime windows are not compared here, because that needs all rows there ever were; `reconcile --deep` does it.
 * @param options.deadlineMs when no more accounts may be begun, in the time of performance.now()
 * @returns how many accounts were compared
 */
export async function reconcileDays(
  table: Table,
  { deadlineMs = Infinity, atMs = nowMs(), pauseMs }: { deadlineMs?: number; atMs?: number; pauseMs?: number } = {},
): Promise<number> {
  const due = await dueDay(table, 'RECONCILED', atMs);
  if (!due) return 0;
  const { date: yesterday } = due;
  let compared = 0;
  const isDone = await eachAccountOf(
    table,
    { kind: 'RECONCILED', date: yesterday, deadlineMs, atMs },
    async (account, { isLate }) => {
      const day = await readDay(table, account.id, yesterday);
      if (!day || !isComplete(day)) {
        // Its rows are still to come: the next run looks again, until it would hold up the others for too long.
        if (isLate) log('error', bookTripwires.booksLate, { accountId: account.id, date: yesterday });
        return isLate;
      }
      await compareMonth(table, account, yesterday, pauseMs);
      compared += 1;
      return true;
    },
  );
  if (isDone) await saveDaysDone(table, 'RECONCILED', yesterday);
  return compared;
}

async function compareMonth(table: Table, account: Account, date: string, pauseMs?: number): Promise<void> {
  const dates = datesBetween(`${date.slice(0, 'YYYY-MM'.length)}-01`, date);
  const { findings } = await reconcile(table, {
    account,
    dates,
    isDeep: false,
    isWhole: false,
    ...(pauseMs === undefined ? {} : { pauseMs }),
  });
  const drift = findings.map(({ says, expected }) => amountOfDrift(says, expected));
  // Zero says that somebody has looked.
  writeMetrics({ DriftRub: drift.length === 0 ? 0 : drift });
  for (const { where, says, expected } of findings.slice(0, MAX_TOLD)) {
    const reason = `${where} says ${says}, and should say ${expected}`;
    log('error', bookTripwires.booksDiffer, { accountId: account.id, date, reason, count: findings.length });
  }
}

/** How far two amounts are apart, for a metric. */
function amountOfDrift(says: string, expected: string): number {
  return Math.abs(Number(Money.parse(says).minus(Money.parse(expected)).toString()));
}
