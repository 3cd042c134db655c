import { Money } from '../money/money.ts';
import { listAccountIds } from '../store/accounts.ts';
import { generationsOfDay } from '../store/generation-queries.ts';
import type { Generation } from '../store/generation.ts';
import { readBudgets } from '../store/service-budgets.ts';
import type { Table } from '../store/table.ts';

/** A part of a day's budget of a free model that says something else than the records. */
export interface BudgetDifference {
  date: string;
  model: string;
  part: number;
  /** By the budget. */
  spent: Money;
  /** By the records of all accounts. */
  recorded: Money;
}

/**
 * Compares what the budgets of free models say was spent on a completed day with the records of all accounts. Cost: every record of the
 * day. A difference that a settlement makes meanwhile is looked at again.
 *
 * Weakness: budgets are removed two days after their day; of an older one nothing is compared.
 */
export async function reconcileBudgets(table: Table, date: string): Promise<BudgetDifference[]> {
  const first = await differencesOf(table, date);
  if (first.length === 0) return first;
  const named = new Set(first.map(nameOf));
  return (await differencesOf(table, date)).filter((difference) => named.has(nameOf(difference)));
}

async function differencesOf(table: Table, date: string): Promise<BudgetDifference[]> {
  const budgets = await readBudgets(table, date);
  if (budgets.length === 0) return [];
  const recorded = new Map<string, Money>();
  for await (const { id } of listAccountIds(table)) {
    for await (const generation of generationsOfDay(table, id, date)) addSpent(recorded, generation);
  }
  return budgets
    .map(({ model, part, spent }): BudgetDifference => {
      return { date, model, part, spent, recorded: recorded.get(budgetName(model, part)) ?? Money.zero };
    })
    .filter(({ spent, recorded: of }) => !spent.equals(of));
}

/** As a settlement does: what the answer cost the service, at most what was held. */
function addSpent(recorded: Map<string, Money>, { state, outcome, hold }: Generation): void {
  if (state !== 'final' || !outcome) return;
  for (const { model, part, amount } of hold.serviceHolds) {
    if (model !== outcome.model) continue;
    const name = budgetName(model, part);
    const spent = Money.min(outcome.serviceCost ?? Money.zero, amount);
    recorded.set(name, (recorded.get(name) ?? Money.zero).plus(spent));
  }
}

function budgetName(model: string, part: number): string {
  return `${model} ${part}`;
}

function nameOf({ model, part, spent, recorded }: BudgetDifference): string {
  return `${budgetName(model, part)} ${spent} ${recorded}`;
}
