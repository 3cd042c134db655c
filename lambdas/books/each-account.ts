import { dayBefore } from '../accounting/activity-days.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import { accountPages, readAccount, type Account } from '../store/accounts/accounts.ts';
import { readDayProgress, saveDayProgress, type DayWork } from '../store/days/day-progress.ts';
import type { Table } from '../store/table/table.ts';

/** Work that was begun so long ago, and is not done, must not look like success. */
const LATE_AFTER_MS = 12 * 60 * 60_000;

/** A day is worked on this long after its end: by then it is rolled up, and what ended late is settled. */
const AFTER_DAY_MS = 60 * 60_000;

/**
 * The day whose work is due: yesterday, from an hour after midnight on, until it is done.
 * @returns how far the work had come before it as well; undefined where nothing is due
 */
export async function dueDay(
  table: Table,
  kind: DayWork,
  atMs: number,
): Promise<{ date: string; through: string | undefined } | undefined> {
  const date = dayBefore(utcDate(atMs));
  if (atMs - Date.parse(utcDate(atMs)) < AFTER_DAY_MS) return undefined;
  const { through } = await readDayProgress(table, kind);
  return through !== undefined && through >= date ? undefined : { date, through };
}

interface DayOfAccounts {
  kind: DayWork;
  date: string;
  /** When no more accounts may be begun, in the time of performance.now(). */
  deadlineMs: number;
  atMs?: number;
}

/**
 * Does a day's work for every account that was there on that day, over as many runs as it takes: a run goes on after the accounts that
 * the one before has finished. What is not done twelve hours after the first run is told in the log, in a line that has an alarm.
 * @param work of one account; false where it has to be done again, and the others wait
 * @returns whether all are done, and when the first run began
 */
export async function eachAccountOf(
  table: Table,
  { kind, date, deadlineMs, atMs = nowMs() }: DayOfAccounts,
  work: (account: Account, run: { isLate: boolean }) => Promise<boolean>,
): Promise<{ isDone: boolean; begunAtMs: number }> {
  const { current } = await readDayProgress(table, kind);
  const continued = current?.through === date ? current : undefined;
  if (!continued) await saveDayProgress(table, kind, { through: date, accountsUpTo: '', begunAtMs: atMs });
  const begunAtMs = continued?.begunAtMs ?? atMs;
  const isLate = atMs - begunAtMs > LATE_AFTER_MS;
  const isDone = await workThrough(table, { kind, date, deadlineMs, after: continued?.accountsUpTo ?? '' }, (account) =>
    work(account, { isLate }),
  );
  if (!isDone && isLate) log('error', bookTripwires.booksLate, { date });
  return { isDone, begunAtMs };
}

async function workThrough(
  table: Table,
  { kind, date, deadlineMs, after }: Omit<DayOfAccounts, 'atMs'> & { after: string },
  work: (account: Account) => Promise<boolean>,
): Promise<boolean> {
  for await (const page of accountPages(table, after)) {
    for (const { id } of page) {
      if (performance.now() >= deadlineMs) return false;
      const account = await readAccount(table, id);
      if (!account || account.createdAt.slice(0, date.length) > date) continue;
      if (!(await work(account))) return false;
    }
    await saveDayProgress(table, kind, { through: date, accountsUpTo: page.at(-1)!.place });
  }
  return true;
}
