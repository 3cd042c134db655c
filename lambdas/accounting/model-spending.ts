import { Money } from '../money/money.ts';
import { daysOfNamedWindow, utcDate, windowsAt } from '../money/periods.ts';
import { monthOfDay, readModelDays, type ModelDay } from '../store/days/model-months.ts';
import type { Table } from '../store/table/table.ts';

interface ModelSpending {
  model: string;
  daily: Money;
  weekly: Money;
  monthly: Money;
}

export interface SpendingByModel {
  /** Models with cost in the current week or month, most expensive in the month first. */
  models: ModelSpending[];
  /** First UTC day with a sum in the current week or month. */
  countedFrom: string | undefined;
}

/**
 * Returns an account's cost for each model in the UTC day, week and month that contain `atMs`.
 *
 * Guarantee: each charge settled before the read is included once.
 */
export async function readSpendingByModel(table: Table, accountId: string, atMs: number): Promise<SpendingByModel> {
  const { daily, weekly, monthly } = windowsAt(atMs);
  const week = daysOfNamedWindow(weekly)!;
  const month = monthOfDay(utcDate(atMs));
  const months = [...new Set([monthOfDay(week[0]!), month])];
  const days = (await Promise.all(months.map((one) => readModelDays(table, accountId, one)))).flat();
  const datesOf = {
    day: new Set(daysOfNamedWindow(daily)),
    week: new Set(week),
    month: new Set(daysOfNamedWindow(monthly)),
  };
  const shown = days.filter(({ date }) => datesOf.week.has(date) || datesOf.month.has(date));
  const models = [...Map.groupBy(shown, ({ model }) => model)].map(([model, ofModel]): ModelSpending => {
    const sumOf = (dates: ReadonlySet<string>) => spentOn(ofModel, dates);
    return { model, daily: sumOf(datesOf.day), weekly: sumOf(datesOf.week), monthly: sumOf(datesOf.month) };
  });
  // Omits models without cost: a correction may have cancelled the whole estimated charge of a model.
  const charged = models.filter((one) => !one.weekly.isZero || !one.monthly.isZero);
  return { models: charged.toSorted(mostExpensiveFirst), countedFrom: shown.map(({ date }) => date).toSorted()[0] };
}

function spentOn(days: ModelDay[], dates: ReadonlySet<string>): Money {
  return Money.sum(days.filter(({ date }) => dates.has(date)).map(({ spent }) => spent));
}

function mostExpensiveFirst(a: ModelSpending, b: ModelSpending): number {
  return b.monthly.compare(a.monthly) || b.weekly.compare(a.weekly) || (a.model < b.model ? -1 : 1);
}
