/** Compares daily rows, monthly spending by model, and daily budgets of free models with the records. */

import type { Difference } from './counter-books.ts';
import { itemIn, itemsIn, picoIn, roublesOf, textIn, textsIn, type RawItem } from './raw-table.ts';

type Sums = Map<string, bigint>;

function addTo(sums: Sums, where: string, amount: bigint): void {
  sums.set(where, (sums.get(where) ?? 0n) + amount);
}

function differencesOf(kind: string, stored: Sums, expected: Sums): Difference[] {
  return [...new Set([...stored.keys(), ...expected.keys()])].flatMap((where) => {
    const [is, should] = [stored.get(where) ?? 0n, expected.get(where) ?? 0n];
    return is === should ? [] : [{ kind, where, stored: roublesOf(is), expected: roublesOf(should) }];
  });
}

function finalRecords(items: readonly RawItem[]): RawItem[] {
  return items.filter(({ entity, state }) => entity === 'generation' && state === 'final');
}

const SHARDS = 8;

/** Returns `<account> <UTC day>` for each day whose rows are complete. */
export function completeDays(items: readonly RawItem[]): Set<string> {
  const days = items
    .filter(({ entity }) => entity === 'activity_day')
    .filter((day) => shardVersions(day).length === SHARDS);
  return new Set(days.map((day) => `${textIn(day, 'pk').split('#')[1]} ${textIn(day, 'date')}`));
}

function shardVersions(day: RawItem): string[] {
  return Object.keys(day).filter((name) => /^version_\d$/.test(name));
}

/** Returns `<account> <UTC day>` for each day that has final records. */
export function recordedDays(items: readonly RawItem[]): Set<string> {
  return new Set(
    finalRecords(items).map((record) => `${textIn(record, 'account_id')} ${textIn(record, 'created_at').slice(0, 10)}`),
  );
}

/**
 * Compares the current rows of complete days, by workspace, by key, and by key and reported tags. The settings of tags
 * must be older than the rows, and a key may have only a few combinations of tags.
 */
export function rowDifferences(items: readonly RawItem[]): Difference[] {
  const complete = completeDays(items);
  const settings = items.filter(({ entity }) => entity === 'account_tags');
  const reported = new Map(settings.map((one) => [textIn(one, 'account_id'), textsIn(one, 'reported')]));
  const days = new Map(items.filter(({ entity }) => entity === 'activity_day').map((day) => [dayName(day), day]));
  const [stored, expected]: [Sums, Sums] = [new Map(), new Map()];
  for (const row of items) {
    if (row['entity'] !== 'activity_row') continue;
    const [, account, date] = textIn(row, 'pk').split('#');
    const name = `${account} ${date}`;
    if (!complete.has(name) || row['version'] !== days.get(name)?.[`version_${textIn(row, 'shard')}`]) continue;
    const level = textIn(row, 'level');
    if (level === 'MEMBER') continue;
    const owner = textIn(row, level === 'KEY' ? 'key_hash' : 'workspace_id');
    addTo(stored, `${name} ${level} ${owner}`, picoIn(row, 'usage_rub'));
    const names = reported.get(account!);
    if (level === 'KEY' && names) addTo(stored, `${name} ${owner} ${tagsOf(row, names)}`, picoIn(row, 'usage_rub'));
  }
  for (const record of finalRecords(items)) {
    const name = `${textIn(record, 'account_id')} ${textIn(record, 'created_at').slice(0, 10)}`;
    if (!complete.has(name)) continue;
    const cost = picoIn(record, 'total_cost_rub');
    const key = textIn(record, 'key_hash');
    const names = reported.get(textIn(record, 'account_id'));
    addTo(expected, `${name} KEY ${key}`, cost);
    if (names) addTo(expected, `${name} ${key} ${tagsOf(record, names)}`, cost);
    addTo(expected, `${name} WORKSPACE ${textIn(record, 'workspace_id')}`, cost);
  }
  return differencesOf('row', stored, expected);
}

function tagsOf(item: RawItem, names: readonly string[]): string {
  const tags = itemIn(item, 'tags');
  return names.map((name) => `${name}=${textIn(tags, name)}`).join();
}

function dayName(day: RawItem): string {
  return `${textIn(day, 'pk').split('#')[1]} ${textIn(day, 'date')}`;
}

/** Compares the cost by account, model and day. */
export function monthDifferences(items: readonly RawItem[]): Difference[] {
  const [stored, expected]: [Sums, Sums] = [new Map(), new Map()];
  for (const item of items) {
    if (item['entity'] !== 'model_month') continue;
    for (const name of Object.keys(item)) {
      const [, day] = /^spent_day_(\d+)$/.exec(name) ?? [];
      const where = `${textIn(item, 'account_id')} ${textIn(item, 'month')}-${day} ${textIn(item, 'model')}`;
      if (day !== undefined) addTo(stored, where, picoIn(item, name));
    }
  }
  for (const record of finalRecords(items)) {
    const where = `${textIn(record, 'account_id')} ${textIn(record, 'created_at').slice(0, 10)} ${textIn(record, 'model')}`;
    addTo(expected, where, picoIn(record, 'total_cost_rub'));
  }
  return differencesOf('model month', stored, expected);
}

/** Compares the budgets of free models, by day and model. */
export function budgetDifferences(items: readonly RawItem[]): Difference[] {
  const [stored, expected]: [Sums, Sums] = [new Map(), new Map()];
  for (const item of items) {
    if (item['entity'] !== 'service_budget') continue;
    const where = `${textIn(item, 'pk').split('#')[2]} ${textIn(item, 'model')}`;
    addTo(stored, `${where} spent`, picoIn(item, 'spent_rub'));
    addTo(stored, `${where} held`, picoIn(item, 'committed_rub') - picoIn(item, 'spent_rub'));
  }
  for (const record of items) {
    if (record['entity'] !== 'generation') continue;
    const date = textIn(record, 'created_at').slice(0, 10);
    if (record['state'] === 'final') {
      const model = textIn(record, 'model');
      if (model.endsWith(':free')) addTo(expected, `${date} ${model} spent`, picoIn(record, 'service_cost_rub'));
      continue;
    }
    for (const hold of itemsIn(record, 'service_holds'))
      addTo(expected, `${date} ${textIn(hold, 'model')} held`, picoIn(hold, 'amount_rub'));
  }
  return differencesOf('free budget', stored, expected);
}
