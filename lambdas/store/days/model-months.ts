/**
 * Sums of an account's cost per model and UTC day. A settlement adds its cost in the transaction that makes a record
 * final. Each sum equals the sum of that day's final records, except for very late settlements.
 *
 * A model's month has one item or, if the account's counter has parts, up to one for each part. Settlements that
 * conflict on one of these items also conflict on the counter.
 */

import { Money } from '../../money/money.ts';
import { DAY_MS, endOfNamedWindow } from '../../money/periods.ts';
import { queryPartition } from '../table/query.ts';
import { moneyAttribute, moneyFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { update, type Key, type Write } from '../table/writes.ts';

export interface ModelMonth {
  accountId: string;
  /** Month as YYYY-MM, in UTC. */
  month: string;
  model: string;
}

export interface ModelDay {
  model: string;
  date: string;
  spent: Money;
}

/**
 * Time in ms after the end of a month during which settlements are still added. Later, the month's items may be
 * deleted.
 */
const TAKES_AFTER_END_MS = 35 * DAY_MS;
const KEEP_MONTH_AFTER_END_MS = 40 * DAY_MS;
/** Number of partition keys over which the parts of an account's month are spread. */
export const MODEL_MONTH_PARTITIONS = 16;
const SPENT_ON_DAY = /^spent_day_(\d\d)$/;

export function monthOfDay(date: string): string {
  return date.slice(0, 'YYYY-MM'.length);
}

/** Returns whether the items of a month still accept settlements. */
export function isMonthKept(month: string, atMs: number): boolean {
  return endOfMonth(month) + TAKES_AFTER_END_MS >= atMs;
}

/** Adds a model's cost by day. Every part accepts any settlement. */
export function modelMonthUpdate(
  table: Table,
  { accountId, month, model }: ModelMonth,
  part: number,
  spent: ReadonlyMap<string, Money>,
): Write {
  const expiry = (endOfMonth(month) + KEEP_MONTH_AFTER_END_MS) / 1_000;
  return update(table, modelMonthKey({ accountId, month, model }, part), {
    set: { entity: 'model_month', account_id: accountId, month, model, [TTL_ATTRIBUTE]: expiry },
    add: Object.fromEntries(
      [...spent].map(([date, amount]) => [`spent_day_${date.slice(-2)}`, moneyAttribute(amount)]),
    ),
  });
}

/**
 * Returns the spending of an account in a month, by model and day.
 *
 * Cost: a query for each partition key.
 */
export async function readModelDays(table: Table, accountId: string, month: string): Promise<ModelDay[]> {
  const days = new Map<string, ModelDay>();
  const base = monthPartition({ accountId, month });
  const partitions = [base, ...Array.from({ length: MODEL_MONTH_PARTITIONS }, (_, number) => `${base}#${number}`)];
  const items = await Promise.all(partitions.map((partition) => Array.fromAsync(queryPartition(table, partition))));
  for (const item of items.flat()) {
    for (const day of daysOf(item, month)) {
      const name = `${day.date} ${day.model}`;
      days.set(name, { ...day, spent: day.spent.plus(days.get(name)?.spent ?? Money.zero) });
    }
  }
  return [...days.values()];
}

/** Returns the key of one part of a model's month. If the account's counter has no parts, only part 0 is used. */
function modelMonthKey({ model, ...of }: ModelMonth, part: number): Key {
  const base = monthPartition(of);
  return { pk: part === 0 ? base : `${base}#${part % MODEL_MONTH_PARTITIONS}`, sk: `${model}#${part}` };
}

function monthPartition({ accountId, month }: Omit<ModelMonth, 'model'>): string {
  return `MODELS#${accountId}#${month}`;
}

function daysOf(item: Item, month: string): ModelDay[] {
  return Object.keys(item).flatMap((name) => {
    const [, day] = SPENT_ON_DAY.exec(name) ?? [];
    if (day === undefined) return [];
    return [{ model: item['model'] as string, date: `${month}-${day}`, spent: moneyFrom(item[name]) }];
  });
}

function endOfMonth(month: string): number {
  return endOfNamedWindow(`month_${month}`)!;
}
