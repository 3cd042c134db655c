import { Money } from '../../money/money.ts';
import { datesBetween, utcDate } from '../../money/periods.ts';
import { DAY_MS } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import { readCounter } from '../../store/counters/counters.ts';
import { readOpenEntries, type SealHead } from '../../store/days/seals.ts';
import type { Table } from '../../store/table/table.ts';
import { readRecordsOf } from './open-records.ts';

/** Maximum number of attempts; the counter's sum of earlier days may change during a comparison. */
const MAX_LOOKS = 5;
/** Maximum number of days since the last sealed day, because counters drop the windows of earlier days. */
const MAX_DAYS_SINCE = 2;

/**
 * Compares the chain of sealed days with the account's counter. The lifetime spending must equal the sum of three
 * amounts: the sealed lines, later settlements of open generations, and the spending on days after the last sealed day.
 *
 * Guarantee: requests during the comparison cause no false alarm. The counter is read before and after the records.
 * @returns both sums up to the last sealed day; undefined if they are equal, or cannot be compared
 */
export async function lifetimeDrift(
  table: Table,
  accountId: string,
  head: SealHead,
): Promise<{ counted: Money; sealed: Money } | undefined> {
  const since = datesBetween(utcDate(Date.parse(head.through) + DAY_MS), utcDate(nowMs()));
  if (since.length > MAX_DAYS_SINCE) return undefined;
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const before = await countedUntil(table, accountId, since);
    const sealed = head.usage.plus(await settledSince(table, accountId, head));
    const counted = await countedUntil(table, accountId, since);
    if (!before.equals(counted)) continue;
    return counted.equals(sealed) ? undefined : { counted, sealed };
  }
  return undefined;
}

async function countedUntil(table: Table, accountId: string, since: readonly string[]): Promise<Money> {
  const counter = await readCounter(table, { kind: 'account', id: accountId });
  return counter.spent('lifetime').minus(Money.sum(since.map((date) => counter.spent(`day_${date}`))));
}

/**
 * Returns the spending since the last day was sealed: settlements and corrections of generations that were open then.
 */
async function settledSince(table: Table, accountId: string, { date, root }: SealHead): Promise<Money> {
  if (date === undefined) return Money.zero;
  const open = await readOpenEntries(table, accountId, { date, root: root! });
  const records = await readRecordsOf(table, accountId, open);
  return Money.sum(
    open.map(({ id, state }) => {
      const record = records.get(id);
      if (record?.state !== 'final' || !record.outcome) return Money.zero;
      return state === 'pending' ? record.outcome.cost : (record.correction ?? Money.zero);
    }),
  );
}
