import { dailyRowName, type DailyRow, type RowLevel } from '../store/days/activity.ts';
import type { RequestTags } from '../store/generations/request-tags.ts';
import { addDailySums, dailySumsOf, noDailySums, type FinalGeneration } from './daily-sums.ts';

/** Maximum number of combinations of tag values into which the rows of one key, day and shard are split. */
export const MAX_TAG_COMBINATIONS = 100;
/** Value of reported tags of combinations beyond MAX_TAG_COMBINATIONS. */
export const OTHER_TAG_VALUES = '~other';

/**
 * `version` is the version of the shard's rows that is being written; `splitBy` names the tags that split the rows of
 * keys.
 */
interface RowsPlace {
  shard: number;
  version: number;
  splitBy: readonly string[];
}

/**
 * Daily rows by workspace, member and key. The rows of a key are split by the values of the reported tags.
 *
 * Guarantee: the rows depend only on the generations and the names of the tags. The first `MAX_TAG_COMBINATIONS`
 * combinations of a key in a shard, in the order of ids, have rows of their own; later ones share the rows of
 * `OTHER_TAG_VALUES`.
 * Weakness: the limit applies to each shard, so one combination may have its own rows in one shard and none in another.
 */
export class DayRows {
  readonly #rows = new Map<string, DailyRow>();
  readonly #combinations = new Map<string, Set<string>>();

  /** Adds a generation. Add the generations of a shard in the order of their ids. */
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

  byName(): ReadonlyMap<string, DailyRow> {
    return this.#rows;
  }

  /** Returns tags of the key's row; undefined if the request has none of the reported tags. */
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
