import { dailyRowName, type DailyRow, type RowLevel } from '../store/days/activity.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import { addDailySums, dailySumsOf, noDailySums, type FinalGeneration } from './daily-sums.ts';

/** Maximum number of combinations of tag values into which the rows of one key, day and shard are split. */
export const MAX_TAG_COMBINATIONS = 100;
/** Value of every reported tag in the rows of combinations beyond MAX_TAG_COMBINATIONS. */
export const OTHER_TAG_VALUES = '~other';

/**
 * Place of the rows: their shard (one of eight parts of the day's generations), and the version of the shard's rows
 * that is being written. `splitBy` has the reported tags by which the rows of keys are split.
 */
interface RowsPlace {
  shard: number;
  version: number;
  splitBy: readonly string[];
}

/**
 * Daily rows of generations: rows of workspaces, members and keys. The rows of a key are split by the combination of
 * values that a generation has for the reported tags. A generation without any of these tags is in a row without tags.
 *
 * Guarantee: the rows depend only on the generations and the names of the tags. The first `MAX_TAG_COMBINATIONS`
 * combinations of a key in a shard, in the order of ids, have rows of their own; later ones share the rows of
 * `OTHER_TAG_VALUES`. All rows of a key therefore have the same total as without a split.
 * Weakness: the limit applies to each of the eight shards, so one combination may have its own rows in one shard and
 * none in another. If a key has more than 100 combinations in a shard, statements show its exact spending by tag; daily
 * rows do not. A request whose reported tags all have the value `~other` is added to the same rows as these
 * combinations.
 */
export class DayRows {
  readonly #rows = new Map<string, DailyRow>();
  /** Combinations that have rows of their own, by shard and key. */
  readonly #combinations = new Map<string, Set<string>>();

  /**
   * Adds a generation. Add the generations of a shard in the order of their ids, because the first combinations of tag
   * values get rows of their own.
   */
  add({ payer, tags, outcome }: FinalGeneration, of: RowsPlace): void {
    const { workspaceId, memberId, keyHash } = payer;
    const ofKey = { memberId, keyHash, tags: this.#reportedTags(keyHash, tags, of) };
    const none = { memberId: undefined, keyHash: undefined, tags: undefined };
    const owners: ({ level: RowLevel } & Pick<DailyRow, 'memberId' | 'keyHash' | 'tags'>)[] = [
      { level: 'WORKSPACE', ...none },
      { level: 'KEY', ...ofKey },
      ...(memberId === undefined ? [] : [{ level: 'MEMBER' as const, ...none, memberId }]),
    ];
    const { model, modelPermaslug, endpointId, providerName } = outcome;
    const sums = dailySumsOf(outcome);
    for (const owner of owners) {
      const { shard, version } = of;
      const route = { model, modelPermaslug, endpointId, providerName };
      const own: DailyRow = { ...owner, shard, version, workspaceId, ...route, ...noDailySums };
      const name = dailyRowName(own);
      const row = this.#rows.get(name) ?? own;
      addDailySums(row, sums);
      this.#rows.set(name, row);
    }
  }

  /** Rows by name (`dailyRowName`). */
  byName(): ReadonlyMap<string, DailyRow> {
    return this.#rows;
  }

  /**
   * Returns the tags of the key's row to which a generation is added; undefined if it has none of the reported tags.
   */
  #reportedTags(keyHash: string, tags: RequestTags = {}, { shard, splitBy }: RowsPlace): RequestTags | undefined {
    const names = splitBy.filter((name) => Object.hasOwn(tags, name));
    if (names.length === 0) return undefined;
    const own = Object.fromEntries(names.toSorted().map((name) => [name, tags[name]!]));
    const place = `${shard}#${keyHash}`;
    const known = this.#combinations.get(place) ?? new Set();
    this.#combinations.set(place, known);
    const combination = JSON.stringify(own);
    if (known.has(combination)) return own;
    if (known.size === MAX_TAG_COMBINATIONS) return Object.fromEntries(splitBy.map((name) => [name, OTHER_TAG_VALUES]));
    known.add(combination);
    return own;
  }
}
