/**
 * Progress of a job over the past days of all accounts: the roll-up, the comparison with counters, or the sealing of
 * days.
 */

import { readItem } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, update, type Key } from '../table/writes.ts';

/** Job over the days of all accounts. Its name is also the sort key of its progress. */
export type DayWork = 'CLOSED' | 'RECONCILED' | 'SEALED';

export interface DayProgress {
  /** Day up to which all accounts are done. */
  through: string | undefined;
  /**
   * Unfinished run over the days up to `through`. Accounts up to the position `accountsUpTo` in the list of accounts
   * are done.
   */
  current: { through: string; accountsUpTo: string; begunAtMs?: number | undefined } | undefined;
}

function progressKey(work: DayWork): Key {
  return { pk: 'ACTIVITY', sk: work };
}

export async function readDayProgress(table: Table, work: DayWork): Promise<DayProgress> {
  const item = await readItem(table, progressKey(work));
  const through = item?.['closing_through'] as string | undefined;
  const begunAt = item?.['begun_at'] as string | undefined;
  return {
    through: item?.['closed_through'] as string | undefined,
    current:
      through === undefined
        ? undefined
        : {
            through,
            accountsUpTo: item!['accounts_up_to'] as string,
            begunAtMs: begunAt === undefined ? undefined : Date.parse(begunAt),
          },
  };
}

/**
 * Saves the progress of a run; `begunAtMs` is the time at which the first run over these days began. The write keeps
 * the stored `closed_through`, so a slow run that overlaps the next run cannot move it back.
 */
export async function saveDayProgress(
  table: Table,
  work: DayWork,
  { through, accountsUpTo, begunAtMs }: NonNullable<DayProgress['current']>,
): Promise<void> {
  const set = {
    entity: 'activity_progress',
    closing_through: through,
    accounts_up_to: accountsUpTo,
    begun_at: begunAtMs === undefined ? undefined : new Date(begunAtMs).toISOString(),
  };
  await writeAlone(table, update(table, progressKey(work), { set }));
}

/** Records that all days up to this day are done. */
export async function saveDaysDone(table: Table, work: DayWork, date: string): Promise<void> {
  await writeAlone(table, put(table, { ...progressKey(work), entity: 'activity_progress', closed_through: date }));
}
