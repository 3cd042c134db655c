/**
 * Leases of a process that answers many requests. Where a key asks often, the process holds money for its next two seconds in one
 * transaction, and takes the holds of requests from it: such a hold is an addition in memory, and one plain write of its record.
 *
 * Guarantee: limits are as hard as without leases. A lease is held in every limited scope by the same transaction as any hold, and requests
 * get no more than is in it. What is left is given back when its time is over, by its process, or by the sweep where that has died
 * or has lost the reply to a record: from the records, which say what they have of it (return-lease.ts).
 * Guarantee: no request is refused for what its own process has leased: that is returned first. A lease is a 64th of the room that there is, or
 * less, and counters with room for fewer than some hundreds of holds get none, so the last roubles are held one by one.
 * Weakness: a scope that is switched off, or gets a lower limit, is noticed when the lease is over, two seconds later at most; as late as the change
 * of what else is cached of a caller. What a lease has left when its process dies is held for two minutes.
 */

import { endLease } from '../accounting/return-lease.ts';
import { Money } from '../money/money.ts';
import { windowsAt, type Windows } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { nowMs } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { counterKey, type Scope, type ScopeId } from '../store/counters.ts';
import { generationFrom, type PendingGeneration } from '../store/generation.ts';
import { LEASE_MS, leasedTimes, leasePut, newLease, type Lease } from '../store/leases.ts';
import { roomAt } from '../store/limited-parts.ts';
import { readItem } from '../store/query.ts';
import { numberFrom, type Table } from '../store/table.ts';
import type { FailedCondition } from '../store/transact.ts';
import { holdInScopes } from './scope-holds.ts';

/** A request that asks for a hold in scopes that all have limits. */
interface LeasedRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
}

/** What a payer has asked for in one second. */
interface Demand {
  holds: number;
  amount: Money;
}

/** One that is nearly used up, and the next, and one that waits for the records that it was taken for. */
const MAX_LEASES_AT_ONCE = 3;
/** When a lease is taken, and how large it may be. */
interface LeaseTerms {
  /** So many holds in a second make a payer busy enough. */
  minHoldsASecond: number;
  /** A lease has so many holds in it at least. */
  minHolds: number;
  /** It is one of so many equal parts of the room that there is, at most. */
  partsOfRoom: number;
  /** After a refusal, or a reply that was lost, requests are held one by one for so long. */
  refusedMs: number;
}

const defaultTerms: LeaseTerms = { minHoldsASecond: 8, minHolds: 4, partsOfRoom: 64, refusedMs: 3_000 };
const MAX_TENANTS = 10_000;

/** A lease from which this process takes holds. */
export class OpenLease {
  readonly lease: Lease;
  readonly #table: Table;
  readonly #scopes: readonly Scope[];
  readonly #endsAtMs = performance.now() + LEASE_MS;
  readonly #records = new Set<Promise<unknown>>();
  #left: Money;
  #isUncertain = false;
  #end: Promise<void> | undefined;

  constructor(table: Table, lease: Lease, scopes: readonly Scope[]) {
    this.#table = table;
    this.lease = lease;
    this.#scopes = scopes;
    this.#left = lease.amount;
  }

  /** Whether less than half of it is left. */
  get isLow(): boolean {
    return this.lease.amount.exceeds(this.#left.plus(this.#left));
  }

  holdsIn({ kind, id }: ScopeId): boolean {
    return this.#scopes.some((scope) => scope.kind === kind && scope.id === id);
  }

  canHold({ generation: { createdAtMs }, amount }: LeasedRequest): boolean {
    if (this.#end || this.#isUncertain || performance.now() >= this.#endsAtMs || amount.exceeds(this.#left))
      return false;
    const { fromMs, toMs } = leasedTimes(this.lease);
    return createdAtMs >= fromMs && createdAtMs <= toMs;
  }

  /**
   * Takes an amount, which `canHold` has allowed just now, and has the record written that says so.
   * @param write the record of a request, which names this lease
   * @returns what `write` does: the record that was there before, or undefined
   * @throws {Error} what `write` throws: it is not known whether the record is there. The lease is left to the sweep.
   */
  async hold(amount: Money, write: () => Promise<FailedCondition | undefined>): Promise<FailedCondition | undefined> {
    this.#left = this.#left.minus(amount);
    const writing = write();
    this.#records.add(writing);
    try {
      const existing = await writing;
      // The record of an earlier try is held by whatever it says.
      if (existing && !this.#isNamedIn(existing)) this.#left = this.#left.plus(amount);
      return existing;
    } catch (error) {
      this.#isUncertain = true;
      throw error;
    } finally {
      this.#records.delete(writing);
    }
  }

  /** From now on nothing is taken from it. Resolves when what is left was given back, or is left to the sweep; never throws. */
  end(): Promise<void> {
    this.#end ??= this.#giveBack();
    return this.#end;
  }

  async #giveBack(): Promise<void> {
    await Promise.allSettled(this.#records);
    if (this.#isUncertain) return;
    await endLease(this.#table, this.lease, this.#left).catch((error: unknown) =>
      log('error', 'lease not returned', { ...describeError(error) }),
    );
  }

  #isNamedIn({ item }: FailedCondition): boolean {
    return item !== undefined && generationFrom(item).lease?.id === this.lease.id;
  }
}

const nothingAsked: Demand = { holds: 0, amount: Money.zero };

/** Who asks: the limited scopes of a payer, as they were when it was read. */
class Tenant {
  readonly leases = new Set<OpenLease>();
  isTaking = false;
  takesFromMs = -Infinity;
  #second = 0;
  #now = nothingAsked;
  #before = nothingAsked;

  note(amount: Money, atMs: number): void {
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#now : nothingAsked;
      this.#now = nothingAsked;
      this.#second = second;
    }
    this.#now = { holds: this.#now.holds + 1, amount: this.#now.amount.plus(amount) };
  }

  /** What was asked for in a second: this one, or the last. */
  get demand(): Demand {
    return this.#now.holds > this.#before.holds ? this.#now : this.#before;
  }
}

export class Leases {
  readonly #terms: LeaseTerms;
  readonly #tenants = new BoundedMap<string, Tenant>(MAX_TENANTS);
  /** All leases that are not over, with who asks for them. */
  readonly #open = new Map<OpenLease, Tenant>();
  readonly #taking = new Set<Promise<void>>();
  #isAllowed: boolean;

  constructor({ isAllowed = true, ...terms }: Partial<LeaseTerms> & { isAllowed?: boolean } = {}) {
    this.#terms = { ...defaultTerms, ...terms };
    this.#isAllowed = isAllowed;
  }

  /** This process answers many requests. */
  allow(): void {
    this.#isAllowed = true;
  }

  /**
   * The lease that a request may be held from; where there is none, one may be taken for those that follow, which nothing waits for.
   * @param scopes all of the request's that have limits
   */
  leaseFor(table: Table, scopes: readonly Scope[], request: LeasedRequest): OpenLease | undefined {
    if (!this.#isAllowed || scopes.length === 0) return undefined;
    const name = scopes.map(({ kind, id, revision }) => `${kind}#${id}#${revision}`).join(' ');
    const tenant = this.#tenants.get(name) ?? new Tenant();
    const atMs = performance.now();
    tenant.note(request.amount, atMs);
    this.#tenants.set(name, tenant);
    const usable = [...tenant.leases].filter((one) => one.canHold(request));
    const isBusy = tenant.demand.holds >= this.#terms.minHoldsASecond && atMs >= tenant.takesFromMs;
    if (isBusy && !tenant.isTaking && usable.every((one) => one.isLow) && tenant.leases.size < MAX_LEASES_AT_ONCE) {
      const taking = this.#takeLease(table, tenant, scopes, request).finally(() => this.#taking.delete(taking));
      this.#taking.add(taking);
    }
    return usable[0];
  }

  /**
   * Returns what this process has leased in a scope that has refused a hold, and takes nothing there for a while.
   * @returns whether there was anything
   */
  async returnIn(scope: ScopeId): Promise<boolean> {
    const leases = [...this.#open].filter(([lease]) => lease.holdsIn(scope));
    for (const [, tenant] of leases) tenant.takesFromMs = performance.now() + this.#terms.refusedMs;
    await Promise.all(leases.map(([lease]) => this.#end(lease)));
    return leases.length > 0;
  }

  /** Returns all leases: the process is about to end. Never throws. */
  async returnAll(): Promise<void> {
    this.#isAllowed = false;
    await Promise.all(this.#taking);
    await Promise.all([...this.#open.keys()].map((lease) => this.#end(lease)));
  }

  /** Resolves when no lease is about to be taken. */
  async taken(): Promise<void> {
    await Promise.all(this.#taking);
  }

  async #takeLease(table: Table, tenant: Tenant, scopes: readonly Scope[], request: LeasedRequest): Promise<void> {
    tenant.isTaking = true;
    try {
      const lease = await takeLease(table, scopes, request, { demand: tenant.demand, terms: this.#terms });
      if (lease) this.#begin(new OpenLease(table, lease, scopes), tenant);
      else tenant.takesFromMs = performance.now() + this.#terms.refusedMs;
    } catch (error) {
      // Where it was taken after all, the sweep returns it.
      log('warn', 'lease not taken', { ...describeError(error) });
      tenant.takesFromMs = performance.now() + this.#terms.refusedMs;
    } finally {
      tenant.isTaking = false;
    }
  }

  #begin(lease: OpenLease, tenant: Tenant): void {
    tenant.leases.add(lease);
    this.#open.set(lease, tenant);
    setTimeout(() => void this.#end(lease), LEASE_MS).unref();
  }

  async #end(lease: OpenLease): Promise<void> {
    this.#open.get(lease)?.leases.delete(lease);
    await lease.end();
    this.#open.delete(lease);
  }
}

/**
 * Holds what a payer will probably ask for in two seconds, in all its limited scopes.
 * @returns undefined where there is too little room
 * @throws {Error} when it is unknown whether it was taken
 */
async function takeLease(
  table: Table,
  scopes: readonly Scope[],
  { generation: { payer, bootId }, amount: asked }: LeasedRequest,
  { demand, terms }: { demand: Demand; terms: LeaseTerms },
): Promise<Lease | undefined> {
  const atMs = nowMs();
  const rooms = await Promise.all(scopes.map((scope) => roomIn(table, scope, windowsAt(atMs))));
  const share = Money.fromPico(Money.min(rooms[0]!, ...rooms).pico / BigInt(terms.partsOfRoom));
  const amount = Money.min(Money.fromPico((demand.amount.pico * BigInt(LEASE_MS)) / 1_000n), share);
  if (asked.times(terms.minHolds).exceeds(amount) || amount.isZero) return undefined;
  const lease = newLease({ payer, bootId, amount, scopes: scopes.map(({ kind }) => kind) });
  const record = leasePut(table, lease);
  const outcome = await holdInScopes(table, scopes, { windows: windowsAt(lease.createdAtMs), amount }, { record });
  // A record that was there before is our own, of a try whose reply was lost.
  if (outcome.committed || outcome.failed.record) return lease;
  if (outcome.isUncertain) throw new Error('It is not known whether a lease was taken');
  return undefined;
}

/** What one scope has room for, at its counter alone; nothing where its limits are others by now. */
async function roomIn(table: Table, scope: Scope, windows: Windows): Promise<Money> {
  const item = await readItem(table, counterKey(scope));
  return item && numberFrom(item['revision']) === scope.revision ? roomAt(item, windows) : Money.zero;
}

/** Leases of this process. It takes none unless it says that it answers many requests. */
export const processLeases = new Leases({ isAllowed: false });
