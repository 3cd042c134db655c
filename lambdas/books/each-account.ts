import { dayBefore } from '../accounting/activity-days.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import { accountPages, readAccount, type Account } from '../store/accounts/accounts.ts';
import { readDayProgress, saveDayProgress, type DayWork } from '../store/days/day-progress.ts';
import type { Table } from '../store/table/table.ts';

/** Time in ms after the first run for a day from which unfinished work counts as late and raises an alarm. */
const LATE_AFTER_MS = 12 * 60 * 60_000;

/**
 * Time in ms after the end of a day from which its work is due. By then, its daily rows are normally computed, and late
 * requests are settled.
 */
const AFTER_DAY_MS = 60 * 60_000;

/**
 * Returns the day whose work is due. Work for yesterday is due from one hour after midnight (UTC) until it is done.
 * @returns the due day, and in `through` the last day whose work is done; undefined if nothing is due
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
  /** Value of performance.now() from which the run starts no further accounts. */
  deadlineMs: number;
  atMs?: number;
}

/**
 * Does a day's work for every account that existed on that day, in as many runs as needed. Each run continues after the
 * last finished account. If the previous run failed, the next run continues after the last finished page of accounts,
 * so an account's work may be repeated. If the work is unfinished twelve hours after the first run, a log line raises
 * an alarm.
 * @param work does the work of one account; returns false if the work on this account must be repeated later, before
 *   the next account
 * @returns whether all accounts are done, and when the first run began
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
  const save = (accountsUpTo: string) => saveDayProgress(table, kind, { through: date, accountsUpTo });
  const isWorkDone = async (id: string) => {
    const account = await readAccount(table, id);
    return !account || account.createdAt.slice(0, date.length) > date || work(account);
  };
  for await (const page of accountPages(table, after)) {
    let finished: string | undefined;
    for (const { id, place } of page) {
      if (performance.now() >= deadlineMs || !(await isWorkDone(id))) {
        // The next run must not repeat the finished accounts of this page, because it would log their findings again.
        if (finished !== undefined) await save(finished);
        return false;
      }
      finished = place;
    }
    await save(finished!);
  }
  return true;
}
