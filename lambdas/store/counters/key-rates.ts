/**
 * Counts a key's requests: admitted requests and their tokens in each UTC minute, and running requests. A large limit
 * is divided into parts, each in its own item, because concurrent transactions on one item conflict. The limits of all
 * parts together equal the limit of the key.
 */

import { generationTimeMs } from '../../platform/ids.ts';
import { count, list, oneOf, record, unreleased, type Field, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { update, type Key, type Write } from '../table/writes.ts';

export const MINUTE_LENGTH_MS = 60_000;
/** Time in ms for which a count is kept after the end of its minute. */
const KEEP_MINUTES_MS = 60 * MINUTE_LENGTH_MS;

/** Kinds of items: the count of one minute, and the count of running requests. */
export const rateKinds = ['minute', 'running'] as const;
export type RateKind = (typeof rateKinds)[number];

const rateHoldRecord = record({
  kind: oneOf('kind', rateKinds),
  /** Number of the part that counts the request. */
  part: count('part'),
  /**
   * Estimated tokens, which a settlement within the minute replaces with the real usage; 0 for running requests, or
   * without a limit on tokens.
   */
  tokens: count('tokens'),
});

/**
 * A count that includes a request. The generation's record lists these counts, so that its settlement can correct them.
 */
export type RateHold = RecordOf<typeof rateHoldRecord>;

const rateHolds = list('rate_holds', rateHoldRecord, rateKinds.length);

/**
 * Field of a hold that lists the counts that include the request. Empty if the key has no limits on requests, tokens or
 * running requests. Queue messages omit an empty list.
 */
export const rateHoldsField: Field<readonly RateHold[]> = unreleased({
  ...rateHolds,
  toMessage: (holds) => (holds.length > 0 ? rateHolds.toMessage(holds) : undefined),
});

/** Returns the start of the UTC minute in which a request counts: the minute in which it was admitted. */
export function minuteStart(atMs: number): number {
  return atMs - (atMs % MINUTE_LENGTH_MS);
}

/** Returns the table key of a count. `atMs` is the time at which the request was admitted. */
export function rateItemKey(keyHash: string, { kind, part }: Pick<RateHold, 'kind' | 'part'>, atMs: number): Key {
  const minute = `MINUTE#${new Date(minuteStart(atMs)).toISOString().slice(0, 16)}`;
  return { pk: `RATE#${keyHash}#${part}`, sk: kind === 'minute' ? minute : 'RUNNING' };
}

/** Limits of one part. If a limit is absent, the part has no such limit. */
export interface RateShare {
  requests?: number | undefined;
  tokens?: number | undefined;
  running?: number | undefined;
}

/**
 * Adds a request to the count of a part, if the part has room. `share.tokens` must be at least `hold.tokens`.
 */
export function rateHoldUpdate(
  table: Table,
  keyHash: string,
  hold: RateHold,
  { share, atMs }: { share: RateShare; atMs: number },
): Write {
  const key = rateItemKey(keyHash, hold, atMs);
  if (hold.kind === 'running') {
    const when = { atMostIfPresent: { running: share.running! - 1 } };
    return update(table, key, { set: { entity: 'key_running' }, add: { running: 1, changes: 1 }, when });
  }
  const atMostIfPresent: Item = {};
  if (share.requests !== undefined) atMostIfPresent['requests'] = share.requests - 1;
  if (share.tokens !== undefined) atMostIfPresent['tokens'] = share.tokens - hold.tokens;
  const expiresAt = (minuteStart(atMs) + MINUTE_LENGTH_MS + KEEP_MINUTES_MS) / 1_000;
  return update(table, key, {
    set: { entity: 'key_minute', [TTL_ATTRIBUTE]: expiresAt },
    add: { requests: 1, tokens: hold.tokens },
    when: { atMostIfPresent },
  });
}

/** Change that a settlement makes to a count. */
export interface RateChange {
  generationId: string;
  keyHash: string;
  hold: RateHold;
  /** Number to add to the running requests, or to the tokens of the minute. */
  change: number;
}

export function rateSettleUpdate(table: Table, { generationId, keyHash, hold, change }: RateChange): Write {
  const key = rateItemKey(keyHash, hold, generationTimeMs(generationId)!);
  return update(table, key, { add: hold.kind === 'running' ? { running: change, changes: 1 } : { tokens: change } });
}

/**
 * Corrects the number of running requests in a part, if the part is unchanged since it was read. The condition includes
 * the number itself, because earlier releases change it without `changes`.
 * @param read.changes number of changes of the part as read; undefined if it had none
 */
export function runningCorrection(
  table: Table,
  { keyHash, part }: { keyHash: string; part: number },
  { counted, recorded, changes }: { counted: number; recorded: number; changes: number | undefined },
): Write {
  const when =
    changes === undefined
      ? { equal: { running: counted }, absent: ['changes'] }
      : { equal: { running: counted, changes } };
  const add = { running: recorded - counted, changes: 1 };
  return update(table, rateItemKey(keyHash, { kind: 'running', part }, 0), { add, when });
}
