/** Progress of a job over the past days of all accounts. */

import { readItem } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, update, type Key } from '../table/writes.ts';

/** Kinds of work that is done once for each day. The kind is the sort key of the item with the progress. */
export type DayWork = 'CLOSED' | 'RECONCILED' | 'SEALED';

export interface DayProgress {
  /** Day up to which all accounts are done. */
  through: string | undefined;
  /** Unfinished run over the days up to `through`. Accounts up to the position `accountsUpTo` are done. */
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
 * Stores the progress of an unfinished run. `begunAtMs` is the beginning of the first run over these days. The write
 * keeps the stored `closed_through`.
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

/**
 * Claims the work for one run.
 * @param until time at which the claim ends if it is not released
 * @returns false if another run has claimed the work
 */
export async function claimDayWork(table: Table, work: DayWork, atMs: number, until: string): Promise<boolean> {
  const now = new Date(atMs).toISOString();
  const claim = { set: { busy_until: until }, when: { atMostIfPresent: { busy_until: now } } };
  return (await writeAlone(table, update(table, progressKey(work), claim))) === undefined;
}

/** Releases a claim, unless it has ended and another run has claimed the work. */
export async function releaseDayWork(table: Table, work: DayWork, until: string): Promise<void> {
  const release = { remove: ['busy_until'], when: { equal: { busy_until: until } } };
  await writeAlone(table, update(table, progressKey(work), release));
}

export async function saveDaysDone(table: Table, work: DayWork, date: string): Promise<void> {
  await writeAlone(table, put(table, { ...progressKey(work), entity: 'activity_progress', closed_through: date }));
}
