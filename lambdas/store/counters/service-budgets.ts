/**
 * Amounts that the service itself spends or holds for a free model in a UTC day. The budget consists of equal parts
 * (items), so that requests do not conflict on one item.
 */

import { BUDGET_PARTS } from '../../catalog/free-terms.ts';
import { Money } from '../../money/money.ts';
import { DAY_MS } from '../../money/periods.ts';
import { queryItems, readItems } from '../table/query.ts';
import { count, money, record, text, type RecordOf } from '../table/record.ts';
import { moneyAttribute, moneyFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { update, type Key, type Write } from '../table/writes.ts';

export const serviceHoldRecord = record({
  model: text('model'),
  part: count('part'),
  amount: money('amount_rub'),
});
export type ServiceHold = RecordOf<typeof serviceHoldRecord>;

/** `committed` is spent plus held. */
export interface BudgetPartSums {
  model: string;
  part: number;
  spent: Money;
  committed: Money;
}

const serviceBudgetParts = Array.from({ length: BUDGET_PARTS }, (_, part) => part);
/** Time in ms for which a day's budget is kept after the end of the day. */
const KEEP_AFTER_DAY_MS = 2 * DAY_MS;

function budgetKey(date: string, { model, part }: Pick<ServiceHold, 'model' | 'part'>): Key {
  return { pk: `FREE#BUDGET#${date}#${part}`, sk: model };
}

function serviceBudgetConstants(date: string, { model }: Pick<ServiceHold, 'model'>): Item {
  return { entity: 'service_budget', model, [TTL_ATTRIBUTE]: keepAfterDay(date) };
}

/** Returns the expiry of a day's budgets in epoch seconds. */
export function keepAfterDay(date: string): number {
  return (Date.parse(date) + DAY_MS + KEEP_AFTER_DAY_MS) / 1_000;
}

/**
 * Returns the write that holds an amount in a part of a budget. It fails if the part has no room. The caller must
 * refuse an amount that is larger than a whole part.
 */
export function budgetHoldUpdate(table: Table, date: string, hold: ServiceHold, size: Money): Write {
  const { amount } = hold;
  return update(table, budgetKey(date, hold), {
    set: serviceBudgetConstants(date, hold),
    add: { committed_rub: moneyAttribute(amount) },
    when: { atMostIfPresent: { committed_rub: moneyAttribute(size.minus(amount)) } },
  });
}

export function budgetSettleUpdate(
  table: Table,
  date: string,
  place: Pick<ServiceHold, 'model' | 'part'>,
  change: { spent: Money; committed: Money },
): Write {
  return update(table, budgetKey(date, place), {
    set: serviceBudgetConstants(date, place),
    add: { spent_rub: moneyAttribute(change.spent), committed_rub: moneyAttribute(change.committed) },
  });
}

export async function readBudget(table: Table, date: string, model: string): Promise<BudgetPartSums[]> {
  const items = await readItems(
    table,
    serviceBudgetParts.map((part) => budgetKey(date, { model, part })),
  );
  const byPartition = new Map(items.map((item) => [item['pk'] as string, item]));
  return serviceBudgetParts.map((part) => sumsFrom(model, part, byPartition.get(budgetKey(date, { model, part }).pk)));
}

/** Returns the budget parts of all models on a day. The reads are eventually consistent. */
export async function readBudgets(table: Table, date: string): Promise<BudgetPartSums[]> {
  const read = serviceBudgetParts.map(async (part) => {
    const sums: BudgetPartSums[] = [];
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': budgetKey(date, { model: '', part }).pk },
    };
    for await (const item of queryItems(table, query)) sums.push(sumsFrom(item['model'] as string, part, item));
    return sums;
  });
  return (await Promise.all(read)).flat();
}

function sumsFrom(model: string, part: number, item: Item | undefined): BudgetPartSums {
  return { model, part, spent: moneyFrom(item?.['spent_rub']), committed: moneyFrom(item?.['committed_rub']) };
}
