/**
 * Adds a request to its key's counts, in the transaction of the hold. Each count has its limit as a condition, so a
 * request is counted if and only if it is admitted.
 */

import { BoundedMap } from '../../platform/bounded-map.ts';
import {
  MINUTE_LENGTH_MS,
  minuteStart,
  rateHoldUpdate,
  rateItemKey,
  rateKinds,
  type RateHold,
  type RateKind,
  type RateShare,
} from '../../store/counters/key-rates.ts';
import { readItems } from '../../store/table/query.ts';
import { numberFrom, type Item, type Table } from '../../store/table/table.ts';
import { pauseAfter, type FailedCondition, type StoreBusyError, type Writes } from '../../store/table/transact.ts';
import { noteAdmitted, noteCounts } from './rate-counts.ts';
import { ratePartsOf, rateShareOf, type RateLimits } from './rate-limits.ts';

export interface RateUse {
  keyHash: string;
  limits: RateLimits;
  tokens: number;
  /** Time of admission, which decides the minute. */
  atMs: number;
}

export interface RateRefusal {
  kind: 'rate';
  limited: 'requests' | 'tokens' | 'parallel';
  most: number;
  atMs: number;
  endsAtMs: number;
}

type RateWriteName = `rate ${RateKind}`;

export function isRateWrite(name: string): boolean {
  return rateKinds.some((kind) => name === `rate ${kind}`);
}

/** Minutes in which keys have used up their requests. The number of requests in a minute never falls. */
const usedUp = new BoundedMap<string, { startMs: number; most: number }>(10_000);

/** Maximum number of moves to other parts of a count. */
const MAX_MOVES = 64;

/** Searches for parts of a key's counts that have room for a request. */
export class RateSearch {
  readonly #table: Table;
  readonly #use: RateUse;
  #holds: RateHold[];
  moves = 0;

  constructor(table: Table, use: RateUse) {
    this.#table = table;
    this.#use = use;
    this.#holds = rateKinds.flatMap((kind) => {
      const parts = ratePartsOf(use.limits, kind);
      return parts === 0 ? [] : this.#holdIn(kind, Math.floor(Math.random() * parts));
    });
  }

  get holds(): readonly RateHold[] {
    return this.#holds;
  }

  /** Returns a refusal that needs no call to the table, or undefined. */
  refusedAtOnce(): RateRefusal | undefined {
    const { keyHash, limits, atMs } = this.#use;
    const known = usedUp.get(keyHash);
    const isUsedUp = known?.startMs === minuteStart(atMs) && known.most === limits.requests;
    return isUsedUp ? this.#refusal('requests') : undefined;
  }

  noteAdmitted(): void {
    const { keyHash, atMs } = this.#use;
    const minute = this.#holds.find(({ kind }) => kind === 'minute');
    if (minute) noteAdmitted(keyHash, atMs, minute.tokens);
  }

  writes(): Writes<RateWriteName> {
    const { keyHash, limits, atMs } = this.#use;
    const writes: Writes<RateWriteName> = {};
    for (const hold of this.#holds) {
      const share = rateShareOf(limits, hold.kind, hold.part);
      writes[`rate ${hold.kind}`] = rateHoldUpdate(this.#table, keyHash, hold, { share, atMs });
    }
    return writes;
  }

  /**
   * Refuses the request, or moves it to parts with room.
   * @returns the refusal; undefined if the transaction may be tried again
   */
  async afterFailure(failed: { [Name in string]?: FailedCondition }): Promise<RateRefusal | undefined> {
    for (const { kind } of this.#holds) {
      const condition = failed[`rate ${kind}`];
      if (!condition) continue;
      const items = ratePartsOf(this.#use.limits, kind) === 1 ? [condition.item] : await this.#partsOf(kind);
      const refused = this.#moveTo(kind, items);
      if (refused) return refused;
    }
    return undefined;
  }

  /**
   * Handles a conflict on busy counts, which can still be read: if no part has room, the request is refused.
   * @returns the refusal; undefined if the transaction may be tried again
   * @throws {StoreBusyError} the error, after many attempts or if no busy item is a count
   */
  async afterConflict(error: StoreBusyError): Promise<RateRefusal | undefined> {
    const busy = this.#holds.filter(({ kind }) => error.conflicting.includes(`rate ${kind}`));
    if (busy.length === 0 || this.moves >= MAX_MOVES) throw error;
    for (const { kind } of busy) {
      const refused = this.#moveTo(kind, await this.#partsOf(kind));
      if (refused) return refused;
    }
    await pauseAfter(this.moves);
    return undefined;
  }

  #moveTo(kind: RateKind, items: readonly (Item | undefined)[]): RateRefusal | undefined {
    const { keyHash, atMs } = this.#use;
    if (kind === 'minute') noteCounts(keyHash, atMs, items);
    const roomy = items.flatMap((item, number) => (this.#hasRoom(kind, number, item) ? number : []));
    this.moves += 1;
    if (roomy.length === 0 || this.moves > MAX_MOVES) return this.#refusedIn(kind, items);
    const next = this.#holdIn(kind, roomy[Math.floor(Math.random() * roomy.length)]!);
    this.#holds = this.#holds.map((hold) => (hold.kind === kind ? next : hold));
    return undefined;
  }

  #holdIn(kind: RateKind, part: number): RateHold {
    const { tokens: most } = rateShareOf(this.#use.limits, kind, part);
    return { kind, part, tokens: most === undefined ? 0 : Math.min(this.#use.tokens, most) };
  }

  async #partsOf(kind: RateKind): Promise<(Item | undefined)[]> {
    const { keyHash, limits, atMs } = this.#use;
    const keys = Array.from({ length: ratePartsOf(limits, kind) }, (_, part) =>
      rateItemKey(keyHash, { kind, part }, atMs),
    );
    const items = await readItems(this.#table, keys);
    return keys.map(({ pk, sk }) => items.find((item) => item['pk'] === pk && item['sk'] === sk));
  }

  #hasRoom(kind: RateKind, part: number, item: Item | undefined): boolean {
    const { tokens } = this.#holdIn(kind, part);
    return isWithin(rateShareOf(this.#use.limits, kind, part), item, { requests: 1, tokens, running: 1 });
  }

  #refusedIn(kind: RateKind, items: readonly (Item | undefined)[]): RateRefusal {
    if (kind === 'running') return this.#refusal('parallel');
    const { keyHash, limits, atMs } = this.#use;
    const isFull = (item: Item | undefined, part: number) => {
      const { requests } = rateShareOf(limits, kind, part);
      return requests !== undefined && !isWithin({ requests }, item, { requests: 1 });
    };
    if (!items.every(isFull)) return this.#refusal('tokens');
    usedUp.set(keyHash, { startMs: minuteStart(atMs), most: limits.requests! });
    return this.#refusal('requests');
  }

  #refusal(limited: RateRefusal['limited']): RateRefusal {
    const { limits, atMs } = this.#use;
    return { kind: 'rate', limited, most: limits[limited]!, atMs, endsAtMs: minuteStart(atMs) + MINUTE_LENGTH_MS };
  }
}

function isWithin(share: RateShare, item: Item | undefined, added: RateShare): boolean {
  return (['requests', 'tokens', 'running'] as const).every((name) => {
    const most = share[name];
    return most === undefined || numberFrom(item?.[name]) + (added[name] ?? 0) <= most;
  });
}
