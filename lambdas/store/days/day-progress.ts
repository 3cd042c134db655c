/** How far work on the ended days of all accounts has come: handed to the roll-up, compared with the counters, or sealed. */

import { readItem } from '../table/query.ts';
import type { Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put, update, type Key } from '../table/writes.ts';

/** What is done to days; the sort key of its progress. */
export type DayWork = 'CLOSED' | 'RECONCILED' | 'SEALED';

export interface DayProgress {
  /** Every account's days up to here. */
  through: string | undefined;
  /** Days up to `through`: the accounts up to this place in the list. */
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

/** Notes how far a run has come, and with `begunAtMs` when the first one began; a slow run that overlaps the next one cannot undo what is done. */
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

/** Notes that nothing is left to do up to a day. */
export async function saveDaysDone(table: Table, work: DayWork, date: string): Promise<void> {
  await writeAlone(table, put(table, { ...progressKey(work), entity: 'activity_progress', closed_through: date }));
}
