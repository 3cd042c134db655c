/**
 * Counts a key's admitted requests and their tokens in each UTC minute, and its running requests. A large limit is
 * divided among parts (items), because concurrent transactions on one item conflict.
 */

import { generationTimeMs } from '../../platform/ids.ts';
import { count, list, oneOf, record, unreleased, type Field, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { update, type Key, type Write } from '../table/writes.ts';

export const MINUTE_LENGTH_MS = 60_000;
/** Time in ms for which a count is kept after the end of its minute. */
const KEEP_MINUTES_MS = 60 * MINUTE_LENGTH_MS;

export const rateKinds = ['minute', 'running'] as const;
export type RateKind = (typeof rateKinds)[number];

const rateHoldRecord = record({
  kind: oneOf('kind', rateKinds),
  part: count('part'),
  /** Estimated tokens; 0 for running requests, or without a limit on tokens. */
  tokens: count('tokens'),
});

/** Entry of a request in one of its key's counts. */
export type RateHold = RecordOf<typeof rateHoldRecord>;

const rateHolds = list('rate_holds', rateHoldRecord, rateKinds.length);

/**
 * The request's entries in its key's counts; empty if the key has no limits on requests, tokens or running requests.
 * Queue messages omit an empty list.
 */
export const rateHoldsField: Field<readonly RateHold[]> = unreleased({
  ...rateHolds,
  toMessage: (holds) => (holds.length > 0 ? rateHolds.toMessage(holds) : undefined),
});

/** Returns the start of a UTC minute. */
export function minuteStart(atMs: number): number {
  return atMs - (atMs % MINUTE_LENGTH_MS);
}

/** Returns the key of one part of a count. `atMs` is the time at which the request was admitted. */
export function rateItemKey(keyHash: string, { kind, part }: Pick<RateHold, 'kind' | 'part'>, atMs: number): Key {
  const minute = `MINUTE#${new Date(minuteStart(atMs)).toISOString().slice(0, 16)}`;
  return { pk: `RATE#${keyHash}#${part}`, sk: kind === 'minute' ? minute : 'RUNNING' };
}

/** Limits of one part. */
export interface RateShare {
  requests?: number | undefined;
  tokens?: number | undefined;
  running?: number | undefined;
}

/**
 * Returns the write that adds a request to a part. It fails if the part has no room. `share.tokens` must be at least
 * `hold.tokens`.
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
 * Returns the write that corrects the number of running requests in a part. It fails if the part has changed since it
 * was read. Earlier releases change the number without incrementing `changes`, so the number is compared too.
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
