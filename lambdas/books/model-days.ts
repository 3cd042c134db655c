import { Money } from '../money/money.ts';
import { DAY_MS, utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import type { Generation } from '../store/generations/generation.ts';
import { isMonthKept, monthOfDay, readModelDays, type ModelDay } from '../store/days/model-months.ts';
import type { Table } from '../store/table/table.ts';

/** Adds up the cost of final records by model, and by the UTC day on which the request was admitted. */
export class ModelDaySums {
  readonly #days = new Map<string, ModelDay>();

  add({ state, outcome, createdAtMs }: Generation): void {
    if (state === 'final') this.addTo({ model: outcome!.model, date: utcDate(createdAtMs), spent: outcome!.cost });
  }

  addTo(day: ModelDay): void {
    const name = modelDayName(day);
    this.#days.set(name, { ...day, spent: day.spent.plus(this.spentOn(day)) });
  }

  spentOn(day: Pick<ModelDay, 'model' | 'date'>): Money {
    return this.#days.get(modelDayName(day))?.spent ?? Money.zero;
  }

  all(): ModelDay[] {
    return [...this.#days.values()];
  }
}

/** `spent` is the stored sum, `recorded` the sum of the records or rows. */
export interface ComparedModelDay extends ModelDay {
  recorded: Money;
}

/**
 * Returns the stored sums of spending by model, each with the sum of the records or rows.
 *
 * Weakness: months that are no longer stored are skipped. The first stored day is skipped too, because an earlier
 * release may have settled a part of it without these sums.
 * @param dates UTC days whose records were all added up, in ascending order
 */
export async function comparedModelDays(
  table: Table,
  accountId: string,
  { sums, dates }: { sums: ModelDaySums; dates: readonly string[] },
): Promise<ComparedModelDay[]> {
  const months = [...new Set(dates.map(monthOfDay))].filter((month) => isMonthKept(month, nowMs()));
  if (months.length === 0) return [];
  const counted = new ModelDaySums();
  for (const month of [monthBefore(months[0]!), ...months]) {
    for (const day of await readModelDays(table, accountId, month)) counted.addTo(day);
  }
  const [firstDay] = counted
    .all()
    .map(({ date }) => date)
    .toSorted();
  if (firstDay === undefined) return [];
  const comparable = new Set(dates.filter((date) => date > firstDay && months.includes(monthOfDay(date))));
  const days = new Map([...counted.all(), ...sums.all()].map((day) => [modelDayName(day), day]));
  return [...days.values()]
    .filter(({ date }) => comparable.has(date))
    .map((day) => ({ ...day, spent: counted.spentOn(day), recorded: sums.spentOn(day) }));
}

function monthBefore(month: string): string {
  return monthOfDay(utcDate(Date.parse(`${month}-01`) - DAY_MS));
}

function modelDayName({ model, date }: Pick<ModelDay, 'model' | 'date'>): string {
  return `${date} ${model}`;
}
