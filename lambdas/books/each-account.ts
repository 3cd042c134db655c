import { dayBefore } from '../accounting/activity-days.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import { accountPages, readAccount, type Account } from '../store/accounts/accounts.ts';
import {
  claimDayWork,
  readDayProgress,
  releaseDayWork,
  saveDayProgress,
  type DayWork,
} from '../store/days/day-progress.ts';
import type { Table } from '../store/table/table.ts';

/** Time in ms from the first run for a day until unfinished work counts as late and raises an alarm. */
const LATE_AFTER_MS = 12 * 60 * 60_000;

/** Time in ms from the end of a day until its work is due. */
const AFTER_DAY_MS = 60 * 60_000;

/**
 * Returns yesterday if its work is due, and in `through` the last day whose work is done; undefined if nothing is due.
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
 * Does a day's work for every account that existed on that day, in as many runs as needed. After a failed run, an
 * account's work may be repeated. Until its deadline, a run keeps other runs from the same work.
 * @param work does the work of one account; returns false if the work on this account must be repeated later, before
 * the next account
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
  // Writes the log line before the work, because the run may die during the work.
  if (isLate) log('error', bookTripwires.booksLate, { date });
  const whole = { kind, date, deadlineMs, after: continued?.accountsUpTo ?? '' };
  const workOnAll = () => workThrough(table, whole, (account) => work(account, { isLate }));
  const forMs = deadlineMs - performance.now();
  const isDone = Number.isFinite(forMs) ? await claimed(table, { kind, atMs, forMs }, workOnAll) : await workOnAll();
  return { isDone, begunAtMs };
}

async function claimed(
  table: Table,
  { kind, atMs, forMs }: { kind: DayWork; atMs: number; forMs: number },
  work: () => Promise<boolean>,
): Promise<boolean> {
  const until = new Date(atMs + forMs).toISOString();
  if (!(await claimDayWork(table, kind, atMs, until))) return false;
  try {
    return await work();
  } finally {
    await releaseDayWork(table, kind, until);
  }
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
        // Saves the finished accounts, because repeated accounts would log their findings again.
        if (finished !== undefined) await save(finished);
        return false;
      }
      finished = place;
    }
    await save(finished!);
  }
  return true;
}
