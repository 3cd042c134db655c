import { isComplete } from '../accounting/activity.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import { writeMetrics } from '../platform/metrics.ts';
import { readDay } from '../store/days/activity.ts';
import type { Account } from '../store/accounts/accounts.ts';
import { saveDaysDone } from '../store/days/day-progress.ts';
import type { Table } from '../store/table/table.ts';
import { dueDay, eachAccountOf } from './each-account.ts';
import { continueChain, datesSince, readLifetimeChain } from './lifetime-chain.ts';
import { reconcile } from './reconcile.ts';
import { reconcileRolledUpBudgets } from './reconcile-budgets.ts';

/** Maximum number of differences that are logged for one account, or for all budgets together. */
const MAX_LOGGED = 10;
/** Time in ms from the first run for a day until a budget's difference from the roll-up's sum counts as permanent. */
const BUDGETS_AGREE_WITHIN_MS = 60 * 60_000;

/**
 * Compares each account's daily rows of yesterday's month, and of all months that are not proved yet, with its
 * counters, once after each day. Also compares the budgets of free models with the roll-up's sums. Reads no records.
 *
 * Logged differences raise an alarm. An account whose rows are missing delays the other accounts by at most twelve
 * hours.
 * Weakness: if a scope has no spending since the last proved month, its lifetime window is not compared. Counters of
 * tags are not compared.
 * @param options.deadlineMs value of performance.now() from which no further accounts are started
 * @returns number of compared accounts
 */
export async function reconcileDays(
  table: Table,
  { deadlineMs = Infinity, atMs = nowMs(), pauseMs }: { deadlineMs?: number; atMs?: number; pauseMs?: number } = {},
): Promise<number> {
  const due = await dueDay(table, 'RECONCILED', atMs);
  if (!due) return 0;
  const { date: yesterday } = due;
  let compared = 0;
  const { isDone, begunAtMs } = await eachAccountOf(
    table,
    { kind: 'RECONCILED', date: yesterday, deadlineMs, atMs },
    async (account, { isLate }) => {
      const day = await readDay(table, account.id, yesterday);
      if (!day || !isComplete(day)) {
        // If rows are missing, the next run checks this account again, unless this would delay the other accounts too
        // long.
        if (isLate) log('error', bookTripwires.booksLate, { accountId: account.id, date: yesterday });
        return isLate;
      }
      await compareMonth(table, account, yesterday, pauseMs);
      compared += 1;
      return true;
    },
  );
  if (isDone && (await areBudgetsCompared(table, yesterday, { isLast: atMs - begunAtMs >= BUDGETS_AGREE_WITHIN_MS }))) {
    await saveDaysDone(table, 'RECONCILED', yesterday);
  }
  return compared;
}

async function areBudgetsCompared(table: Table, date: string, { isLast }: { isLast: boolean }): Promise<boolean> {
  const differences = await reconcileRolledUpBudgets(table, date);
  if (differences.length > 0 && !isLast) return false;
  if (differences.length > 0) {
    writeMetrics({ DriftRub: differences.map(({ spent, recorded }) => amountOfDrift(spent, recorded)) });
  }
  for (const { model, part, spent, recorded } of differences.slice(0, MAX_LOGGED)) {
    const reason = `budget of ${model} part ${part} is ${spent}, and should be ${recorded}`;
    log('error', bookTripwires.booksDiffer, { date, reason, count: differences.length });
  }
  return true;
}

async function compareMonth(table: Table, account: Account, date: string, pauseMs?: number): Promise<void> {
  const chain = await readLifetimeChain(table, account, date);
  const { findings, scopes, isCovered } = await reconcile(table, {
    account,
    dates: datesSince(chain, date),
    spentBefore: chain?.spentBefore,
    isDeep: false,
    isWhole: false,
    ...(pauseMs === undefined ? {} : { pauseMs }),
  });
  const drift = findings.map(({ says, expected }) => amountOfDrift(Money.parse(says), Money.parse(expected)));
  // Writes the metric even if it is zero, to show that the comparison was made.
  writeMetrics({ DriftRub: drift.length === 0 ? 0 : drift });
  for (const { where, says, expected } of findings.slice(0, MAX_LOGGED)) {
    const reason = `${where} is ${says}, and should be ${expected}`;
    log('error', bookTripwires.booksDiffer, { accountId: account.id, date, reason, count: findings.length });
  }
  if (chain && isCovered) await continueChain(table, account, { chain, scopes, date });
}

function amountOfDrift(says: Money, expected: Money): number {
  return Math.abs(Number(says.minus(expected).toString()));
}
