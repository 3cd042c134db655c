import { BoundedMap } from '../bounded-map.ts';

export interface JobOwner {
  account: string;
  key: string;
}

/** Maximum number of waiting jobs of one key. */
const MAX_WAITING_PER_KEY = 32;
const MAX_WAITING_PER_ACCOUNT = 64;
/** Maximum number of accounts and keys whose last turns the queue remembers; the others count as new. */
const MAX_REMEMBERED = 10_000;

/**
 * Queue that returns jobs in a fair order. Accounts take turns, the keys of an account take turns, and the jobs of a
 * key keep their order.
 *
 * Guarantee: if an account adds many jobs, the next job of any other account waits for at most one of these jobs.
 */
export class FairQueue<Entry extends { owner: JobOwner }> {
  readonly #entries: Entry[] = [];
  /** Number of the last turn of each account and each key. */
  readonly #lastTurns = new BoundedMap<string, number>(MAX_REMEMBERED);
  #turn = 0;

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Returns whether the owner already has the maximum number of waiting jobs. */
  isFullFor({ account, key }: JobOwner): boolean {
    const ofAccount = this.#entries.filter(({ owner }) => owner.account === account);
    if (ofAccount.length >= MAX_WAITING_PER_ACCOUNT) return true;
    return ofAccount.filter(({ owner }) => owner.key === key).length >= MAX_WAITING_PER_KEY;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Removes and returns the entry whose turn is next; undefined if no job waits. */
  take(): Entry | undefined {
    let next: Entry | undefined;
    for (const entry of this.#entries) if (!next || this.#isBefore(entry, next)) next = entry;
    if (!next) return undefined;
    this.remove(next);
    this.#turn += 1;
    this.#lastTurns.set(ownerAccount(next), this.#turn);
    this.#lastTurns.set(ownerKey(next), this.#turn);
    return next;
  }

  remove(entry: Entry): void {
    const place = this.#entries.indexOf(entry);
    if (place !== -1) this.#entries.splice(place, 1);
  }

  #isBefore(entry: Entry, other: Entry): boolean {
    const byAccount = this.#lastTurn(ownerAccount(entry)) - this.#lastTurn(ownerAccount(other));
    return byAccount < 0 || (byAccount === 0 && this.#lastTurn(ownerKey(entry)) < this.#lastTurn(ownerKey(other)));
  }

  #lastTurn(name: string): number {
    return this.#lastTurns.get(name) ?? 0;
  }
}

function ownerAccount({ owner }: { owner: JobOwner }): string {
  return `account#${owner.account}`;
}

function ownerKey({ owner }: { owner: JobOwner }): string {
  return `key#${owner.key}`;
}
