/**
 * Cost of free models to the service, according to the records. An item per account, day and shard has a sum for each
 * part of a budget that held the cost.
 */

import type { Money } from '../../money/money.ts';
import type { DayShard } from '../generations/generation-key.ts';
import { queryItems } from '../table/query.ts';
import { keepAfterDay } from './service-budgets.ts';
import { moneyAttribute, moneyFrom, numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { update } from '../table/writes.ts';

export interface RecordedSpending {
  model: string;
  part: number;
  spent: Money;
}

const partitionOf = (date: string) => `FREE#RECORDED#${date}`;

/**
 * Stores the spending of one shard of an account's day.
 * @param version number of the roll-up's computation; an older computation that ends later changes nothing
 */
export async function saveRecordedSpending(
  table: Table,
  { accountId, date, shard }: DayShard,
  { version, spending }: { version: number; spending: readonly RecordedSpending[] },
): Promise<void> {
  const key = { pk: partitionOf(date), sk: `${accountId}#${shard}` };
  const budgets = spending.map(({ model, part, spent }) => ({ model, part, spent_rub: moneyAttribute(spent) }));
  const written = update(table, key, {
    set: { entity: 'recorded_budgets', version, budgets, [TTL_ATTRIBUTE]: keepAfterDay(date) },
    when: { atMostIfPresent: { version } },
  });
  await writeAlone(table, written);
}

/** Yields the spending of all accounts in any order. */
export async function* recordedSpending(table: Table, date: string): AsyncGenerator<RecordedSpending> {
  const query = {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partitionOf(date) },
  };
  for await (const { budgets } of queryItems(table, query)) {
    for (const { model, part, spent_rub } of budgets as Item[]) {
      yield { model: model as string, part: numberFrom(part), spent: moneyFrom(spent_rub) };
    }
  }
}
