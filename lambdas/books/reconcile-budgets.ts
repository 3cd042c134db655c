import { ServiceSpending } from '../accounting/service-spending.ts';
import type { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { listAccountIds } from '../store/accounts/accounts.ts';
import { generationsOfDay } from '../store/generations/generation-queries.ts';
import { recordedSpending } from '../store/counters/recorded-budgets.ts';
import { keepAfterDay, readBudgets } from '../store/counters/service-budgets.ts';
import type { Table } from '../store/table/table.ts';

export interface BudgetDifference {
  date: string;
  model: string;
  part: number;
  spent: Money;
  recorded: Money;
}

/**
 * Compares the spending in the budgets of free models on a completed day with the records of all accounts. Cost: reads
 * every record of the day, twice if there are differences, which a concurrent settlement may cause.
 * Weakness: budgets are deleted two days after their day.
 */
export async function reconcileBudgets(table: Table, date: string): Promise<BudgetDifference[]> {
  const first = await differencesOf(table, date, spendingByRecords);
  if (first.length === 0) return first;
  const named = new Set(first.map(nameOf));
  const again = await differencesOf(table, date, spendingByRecords);
  return again.filter((difference) => named.has(nameOf(difference)));
}

/**
 * Compares the budgets with the sums that the roll-up has stored, without reading records. A late settlement changes
 * its budget a few minutes before the roll-up includes the settlement, so only a lasting difference is an error.
 *
 * Weakness: if an earlier release rolled up a day, the day has no sums for budgets, so all its spending differs.
 */
export function reconcileRolledUpBudgets(table: Table, date: string): Promise<BudgetDifference[]> {
  return differencesOf(table, date, spendingByRollUp);
}

async function differencesOf(
  table: Table,
  date: string,
  spendingOf: (table: Table, date: string) => Promise<ServiceSpending>,
): Promise<BudgetDifference[]> {
  if (nowMs() >= keepAfterDay(date) * 1_000) return [];
  const [budgets, recorded] = [new ServiceSpending(), await spendingOf(table, date)];
  for (const budget of await readBudgets(table, date)) budgets.add(budget);
  const parts = new Map([...budgets.all(), ...recorded.all()].map((one) => [`${one.model} ${one.part}`, one]));
  return [...parts.values()]
    .map(({ model, part }) => ({
      date,
      model,
      part,
      spent: budgets.of({ model, part }),
      recorded: recorded.of({ model, part }),
    }))
    .filter(({ spent, recorded: of }) => !spent.equals(of));
}

async function spendingByRecords(table: Table, date: string): Promise<ServiceSpending> {
  const spending = new ServiceSpending();
  for await (const { id } of listAccountIds(table)) {
    for await (const generation of generationsOfDay(table, id, date)) spending.addRecord(generation);
  }
  return spending;
}

async function spendingByRollUp(table: Table, date: string): Promise<ServiceSpending> {
  const spending = new ServiceSpending();
  for await (const recorded of recordedSpending(table, date)) spending.add(recorded);
  return spending;
}

function nameOf({ model, part, spent, recorded }: BudgetDifference): string {
  return `${model} ${part} ${spent} ${recorded}`;
}
