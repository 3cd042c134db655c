import type { Account } from '../store/accounts.ts';
import { accountPages, readAccount } from '../store/accounts.ts';
import { readDayProgress, saveDayProgress, type DayWork } from '../store/day-progress.ts';
import type { Table } from '../store/table.ts';

/**
 * Does a day's work for every account that was there on that day, over as many runs as it takes: a run goes on after the accounts that
 * the one before has finished.
 * @param run.deadlineMs when no more accounts may be begun, in the time of performance.now()
 * @param work of one account; false where it has to be done again, and the others wait
 * @returns whether all are done
 */
export async function eachAccountOf(
  table: Table,
  { kind, date, deadlineMs }: { kind: DayWork; date: string; deadlineMs: number },
  work: (account: Account) => Promise<boolean>,
): Promise<boolean> {
  const { current } = await readDayProgress(table, kind);
  const isContinued = current?.through === date;
  for await (const page of accountPages(table, isContinued ? current.accountsUpTo : undefined)) {
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
