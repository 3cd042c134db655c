import { DAY_MS, utcDate } from '../money/periods.ts';
import { monthOfDay, readModelDays } from '../store/days/model-months.ts';
import type { Table } from '../store/table/table.ts';

/** Returns the ids of the models on which an account has spent today or on the `days` previous UTC days. */
export async function recentModels(
  table: Table,
  accountId: string,
  { days, nowMs }: { days: number; nowMs: number },
): Promise<string[]> {
  const first = utcDate(nowMs - days * DAY_MS);
  const months = [...new Set([monthOfDay(first), monthOfDay(utcDate(nowMs))])];
  const all = await Promise.all(months.map((month) => readModelDays(table, accountId, month)));
  return [...new Set(all.flat().flatMap(({ date, model }) => (date >= first ? [model] : [])))];
}
