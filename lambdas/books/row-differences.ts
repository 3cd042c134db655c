import { noDailySums } from '../accounting/daily-sums.ts';
import { dailyRowTexts, type DailyRow, type Day } from '../store/days/activity.ts';

/** An attribute of a daily row that says something else than the records. */
interface RowDifference {
  /** The row's, among those of its day. */
  name: string;
  field: string;
  says: string;
  expected: string;
}

/** A row of the recomputation that counts. */
export function isCurrent({ shard, version }: Pick<DailyRow, 'shard' | 'version'>, { versions }: Day): boolean {
  return version === versions[shard];
}

/**
 * Compares the rows of a closed day with what its records come to, attribute by attribute. A row that is missing counts as one without
 * requests; so does one that no record belongs to, on the other side.
 * @param of.expected the rows that the records make, by their names
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
  const told = dailyRowTexts(stored);
  for (const [field, value] of dailyRowTexts(expected)) {
    const says = told.get(field)!;
    if (says !== value) yield { name, field, says, expected: value };
  }
}
