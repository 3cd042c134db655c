import {
  addDailySums,
  dailySumsOf,
  noDailySums,
  type DailySums,
  type FinalGeneration,
} from '../accounting/daily-sums.ts';
import { splitTags, type TagSplit } from '../accounting/activity.ts';
import { GatewayError } from '../platform/errors.ts';
import { tagValue, type RequestTags } from '../store/generations/request-tags.ts';

export const dimensions = [
  'day',
  'month',
  'workspace',
  'key',
  'member',
  'model',
  'provider',
  'endpoint',
  'api_type',
  'ending',
] as const;
export type PlainDimension = (typeof dimensions)[number];
/** Property by which a report is split into rows. `tag:<name>` splits it by the values of one tag of the requests. */
export type Dimension = PlainDimension | TagSplit;

export function isTag(dimension: Dimension): dimension is TagSplit {
  return splitTags([dimension]).length > 0;
}

const MAX_SPENDING_ROWS = 200_000;

export interface SpendingRow extends DailySums {
  /** Values of the dimensions in the requested order; an empty text if the generation has no value. */
  values: readonly string[];
}

export class SpendingTable {
  readonly total: DailySums = { ...noDailySums };
  readonly #by: readonly Dimension[];
  readonly #rows = new Map<string, SpendingRow>();

  constructor(by: readonly Dimension[]) {
    this.#by = by;
  }

  /**
   * Adds a generation to its row and to the total.
   * @throws {GatewayError} 400 if there are more rows than a report may have
   */
  add(generation: FinalGeneration, day: string): void {
    const values = this.#by.map((dimension) => dimensionValue(generation, day, dimension));
    const name = JSON.stringify(values);
    let row = this.#rows.get(name);
    if (!row) {
      if (this.#rows.size === MAX_SPENDING_ROWS) throw tooManyRows();
      row = { values, ...noDailySums };
      this.#rows.set(name, row);
    }
    const sums = dailySumsOf(generation.outcome);
    addDailySums(row, sums);
    addDailySums(this.total, sums);
  }

  /** Returns the rows sorted by their values. */
  rows(): SpendingRow[] {
    return [...this.#rows.values()].toSorted(byValues);
  }
}

function byValues({ values: a }: SpendingRow, { values: b }: SpendingRow): number {
  const index = a.findIndex((value, place) => value !== b[place]);
  return index === -1 ? 0 : a[index]! < b[index]! ? -1 : 1;
}

/**
 * Prefixes that `rowsByTags` removes from the values of tags. RECORDED marks a recorded value, TAG_OF_KEY the hash of a
 * key.
 */
const RECORDED = '=';
const TAG_OF_KEY = '#';

/**
 * Replaces the hashes of keys with the values of their tags, and merges rows that become equal.
 * @param tagsOf returns the tags of the key with this hash
 */
export async function rowsByTags(
  rows: readonly SpendingRow[],
  by: readonly Dimension[],
  tagsOf: (keyHash: string) => Promise<RequestTags>,
): Promise<SpendingRow[]> {
  if (!by.some(isTag)) return [...rows];
  const folded = new Map<string, SpendingRow>();
  for (const row of rows) {
    const values: string[] = [];
    for (const [index, dimension] of by.entries()) {
      const value = row.values[index]!;
      const [tag] = splitTags([dimension]);
      if (tag === undefined) values.push(value);
      else if (value.startsWith(RECORDED)) values.push(value.slice(RECORDED.length));
      else values.push(tagValue(await tagsOf(value.slice(TAG_OF_KEY.length)), tag) ?? '');
    }
    const name = JSON.stringify(values);
    const sum = folded.get(name) ?? { values, ...noDailySums };
    folded.set(name, sum);
    addDailySums(sum, row);
  }
  return [...folded.values()].toSorted(byValues);
}

/**
 * Returns the value that a generation has in a dimension. For a tag, returns the recorded value, or else the key's
 * hash, for `rowsByTags`.
 */
export function dimensionValue(
  { payer, outcome, apiType, tags }: FinalGeneration,
  day: string,
  dimension: Dimension,
): string {
  if (isTag(dimension)) {
    const recorded = tagValue(tags, splitTags([dimension])[0]!);
    return recorded === undefined ? `${TAG_OF_KEY}${payer.keyHash}` : `${RECORDED}${recorded}`;
  }
  switch (dimension) {
    case 'day':
      return day;
    case 'month':
      return day.slice(0, 'YYYY-MM'.length);
    case 'workspace':
      return payer.workspaceId;
    case 'key':
      return payer.keyHash;
    case 'member':
      return payer.memberId ?? '';
    case 'model':
      return outcome.model;
    case 'provider':
      return outcome.providerName;
    case 'endpoint':
      return outcome.endpointId;
    case 'api_type':
      return apiType;
    case 'ending':
      return outcome.ending ?? '';
  }
}

function tooManyRows(): GatewayError {
  return new GatewayError(
    'invalid_request',
    `The report has more than ${MAX_SPENDING_ROWS} rows. Split it by fewer fields, or request fewer days.`,
  );
}
