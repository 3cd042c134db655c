import { noDailySums } from '../accounting/daily-sums.ts';
import { dailyRowTexts, type DailyRow, type Day } from '../store/days/activity.ts';

interface RowDifference {
  name: string;
  field: string;
  says: string;
  expected: string;
}

export function isCurrent({ shard, version }: Pick<DailyRow, 'shard' | 'version'>, { versions }: Day): boolean {
  return version === versions[shard];
}

/**
 * Compares the rows of a closed day with its records. Missing rows, and rows without records, are compared with zeros.
 * @param options.expected rows computed from the records, by name
 */
export async function* differencesOfRows(
  stored: AsyncIterable<{ name: string; row: DailyRow }>,
  { day, expected }: { day: Day; expected: ReadonlyMap<string, DailyRow> },
): AsyncGenerator<RowDifference, void> {
  const missing = new Map(expected);
  for await (const { name, row } of stored) {
    if (!isCurrent(row, day)) continue;
    yield* differencesOf(name, row, missing.get(name) ?? { ...row, ...noDailySums });
    missing.delete(name);
  }
  for (const [name, row] of missing) yield* differencesOf(name, { ...row, ...noDailySums }, row);
}

function* differencesOf(name: string, stored: DailyRow, expected: DailyRow): Generator<RowDifference, void> {
  const stated = dailyRowTexts(stored);
  for (const [field, value] of dailyRowTexts(expected)) {
    const says = stated.get(field)!;
    if (says !== value) yield { name, field, says, expected: value };
  }
}
