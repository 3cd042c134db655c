/**
 * Leases of a process that answers many requests. Where a key asks often, the process holds money for its next two seconds in one
 * transaction, and takes the holds of requests from it: such a hold is a subtraction in memory, and one plain write of its record.
 *
 * Guarantee: limits are as hard as without leases. A lease is held in every limited scope by the same transaction as any hold, and requests
 * get no more than is in it. What is left is given back when its time is over, by its process, or by the sweep where that has died
 * or does not know whether a record was written: from the records, which say what they have of it (return-lease.ts).
 * Guarantee: no request is refused for what its own process has leased: that is returned first, if the table takes it within half a second.
 * A lease is a 64th of the room that there is, or less, and counters with room for fewer than some hundreds of holds get none, so the last
 * roubles are held one by one.
 * Weakness: a scope that is switched off, or gets a lower limit, is noticed when the lease is over, two seconds later at most; as late as the change
 * of what else is cached of a caller. What a lease has left when its process dies is held for two minutes to a little more than three.
 */

import { Money } from '../money/money.ts';
import { windowsAt, type Windows } from '../money/periods.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { nowMs, thisMoment } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { counterKey, type Scope, type ScopeId } from '../store/counters/counters.ts';
import { isLeasable, LEASE_MS, leasePut, newLease } from '../store/counters/leases.ts';
import { roomAt } from '../store/counters/limited-parts.ts';
import { readItem } from '../store/table/query.ts';
import { numberFrom, type Table } from '../store/table/table.ts';
import { StoreBusyError } from '../store/table/transact.ts';
import type { LeasedHold, LeasedRequest, LeaseSource } from './lease-source.ts';
import { OpenLease } from './open-lease.ts';
import { holdInScopes } from './scope-holds.ts';

/** The holds that a payer has asked for in one second. */
interface Demand {
  holds: number;
  amount: Money;
}

/** One that is nearly used up, and the next. */
const MAX_LEASES_AT_ONCE = 2;

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
/** A lease takes some milliseconds; where the table is busy, it may take seconds. */
const MAX_WAIT_MS = 500;

const nothingAsked: Demand = { holds: 0, amount: Money.zero };

/** Who asks: the limited scopes of a payer, as they were when it was read. */
class Tenant {
  readonly scopes: readonly Scope[];
  readonly leases = new Set<OpenLease>();
  /** Resolves when the lease that is being taken is there, or is not to be had. Never rejects. */
  taking: Promise<void> | undefined;
  takesFromMs = -Infinity;
  #second = 0;
  #now = nothingAsked;
  #before = nothingAsked;

  constructor(scopes: readonly Scope[]) {
    this.scopes = scopes;
  }

  isIn({ kind, id }: ScopeId): boolean {
    return this.scopes.some((scope) => scope.kind === kind && scope.id === id);
  }

  note(amount: Money, atMs: number): void {
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#now : nothingAsked;
      this.#now = nothingAsked;
      this.#second = second;
    }
    this.#now = { holds: this.#now.holds + 1, amount: this.#now.amount.plus(amount) };
  }

  /** The demand of this second, or of the last. */
  get demand(): Demand {
    return this.#now.holds > this.#before.holds ? this.#now : this.#before;
  }

  /** Takes a hold from a lease that has so much left; undefined where none has. */
  take(request: LeasedRequest): LeasedHold | undefined {
    for (const lease of this.leases) {
      const hold = lease.take(request);
      if (hold) return hold;
    }
    return undefined;
  }

  /** No lease has much left, and another may be taken. */
  get needsLease(): boolean {
    return this.leases.size < MAX_LEASES_AT_ONCE && [...this.leases].every((lease) => lease.isLow);
  }
}

export class Leases implements LeaseSource {
  readonly #terms: LeaseTerms;
  readonly #tenants = new BoundedMap<string, Tenant>(MAX_TENANTS);
  /** All leases that are not over, with who asks for them. */
  readonly #open = new Map<OpenLease, Tenant>();
  /** Those for whom a lease is being taken. */
  readonly #takers = new Set<Tenant>();
  #isOver = false;
  ended = 0;

  constructor(terms: Partial<LeaseTerms> = {}) {
    this.#terms = { ...defaultTerms, ...terms };
  }

  /**
   * Takes a hold from a lease. Where none has enough left and one is being taken, it is waited for: requests that held by themselves
   * meanwhile would only meet it at the counters.
   * @param scopes all of the request's that have limits
   * @returns undefined where the request has to be held by itself
   */
  async take(table: Table, scopes: readonly Scope[], request: LeasedRequest): Promise<LeasedHold | undefined> {
    if (this.#isOver || scopes.length === 0) return undefined;
    const name = scopes.map(({ kind, id, revision }) => `${kind}#${id}#${revision}`).join(' ');
    const tenant = this.#tenants.get(name) ?? new Tenant(scopes);
    const atMs = performance.now();
    tenant.note(request.amount, atMs);
    this.#tenants.set(name, tenant);
    const hold = this.#takeFrom(tenant, request);
    if (!hold) for (const lease of tenant.leases) if (lease.isUsedUpFor(request)) void this.#end(lease);
    const isBusy = tenant.demand.holds >= this.#terms.minHoldsASecond && atMs >= tenant.takesFromMs;
    // One that has waited long is of no lease that is taken now, nor is one of yesterday.
    const isTimely = isLeasable(request.generation);
    if (isTimely && isBusy && !tenant.taking && tenant.needsLease) this.#takeLease(table, tenant, request);
    if (hold || !tenant.taking || !isTimely) return hold;
    await waitedFor(tenant.taking);
    return this.#takeFrom(tenant, request);
  }

  /**
   * Returns what this process has leased in a scope that has refused a hold, and takes nothing there for a while.
   */
  async returnIn(scope: ScopeId): Promise<void> {
    const tenants = new Set([...this.#takers, ...this.#open.values()].filter((tenant) => tenant.isIn(scope)));
    for (const tenant of tenants) this.#pause(tenant);
    // A lease that is being taken now would be in the way a moment later.
    await waitedFor(Promise.all([...tenants].flatMap(({ taking }) => taking ?? [])));
    const leases = [...this.#open].filter(([, tenant]) => tenants.has(tenant));
    await waitedFor(Promise.all(leases.map(([lease]) => this.#end(lease))));
  }

  /** Returns all leases: the process is about to end. Never throws. */
  async returnAll(): Promise<void> {
    this.#isOver = true;
    await this.taken();
    await Promise.all([...this.#open.keys()].map((lease) => this.#end(lease)));
  }

  /** Resolves when no lease is about to be taken. */
  async taken(): Promise<void> {
    await Promise.all([...this.#takers].flatMap(({ taking }) => taking ?? []));
  }

  /** A hold whose record is lost tells of trouble, in which leases would be lost as well. */
  #takeFrom(tenant: Tenant, request: LeasedRequest): LeasedHold | undefined {
    const hold = tenant.take(request);
    if (!hold) return undefined;
    const pause = (error: unknown) => {
      this.#pause(tenant);
      throw error;
    };
    return { ...hold, record: (write) => hold.record(write).catch(pause) };
  }

  /** Requests are held one by one for a while. */
  #pause(tenant: Tenant): void {
    tenant.takesFromMs = performance.now() + this.#terms.refusedMs;
  }

  #takeLease(table: Table, tenant: Tenant, request: LeasedRequest): void {
    const { demand, scopes } = tenant;
    tenant.taking = takeLease(table, scopes, request, { demand, terms: this.#terms })
      .catch((error: unknown) => {
        // Where it was taken after all, the sweep returns it.
        log('warn', 'lease not taken', { ...describeError(error) });
        return undefined;
      })
      .then((lease) => {
        tenant.taking = undefined;
        this.#takers.delete(tenant);
        if (lease) this.#begin(lease, tenant);
        else this.#pause(tenant);
      });
    this.#takers.add(tenant);
  }

  #begin(lease: OpenLease, tenant: Tenant): void {
    tenant.leases.add(lease);
    this.#open.set(lease, tenant);
    setTimeout(() => void this.#end(lease), Math.max(0, lease.remainingMs)).unref();
  }

  async #end(lease: OpenLease): Promise<void> {
    this.#open.get(lease)?.leases.delete(lease);
    await lease.end();
    if (this.#open.delete(lease)) this.ended += 1;
  }
}

/** Waits for leases that are being taken or returned, but not for ever. Where the table is busy, both may take long. */
async function waitedFor(taking: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  await Promise.race([taking, promise]);
  clearTimeout(timer);
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
): Promise<OpenLease | undefined> {
  const atMs = nowMs();
  const rooms = await Promise.all(scopes.map((scope) => roomIn(table, scope, windowsAt(atMs))));
  const share = Money.fromPico(Money.min(rooms[0]!, ...rooms).pico / BigInt(terms.partsOfRoom));
  const amount = Money.min(Money.fromPico((demand.amount.pico * BigInt(LEASE_MS)) / 1_000n), share);
  if (asked.times(terms.minHolds).exceeds(amount) || amount.isZero) return undefined;
  const takenAt = thisMoment();
  const lease = newLease({ payer, bootId, amount, scopes: scopes.map(({ kind }) => kind) });
  const record = leasePut(table, lease);
  const scopeHold = { windows: windowsAt(lease.createdAtMs), amount };
  const outcome = await holdInScopes(table, scopes, scopeHold, { record }).catch((error: unknown) => {
    // The table was busy. What a try without a reply may have taken, the sweep returns.
    if (error instanceof StoreBusyError) return undefined;
    throw error;
  });
  if (!outcome) return undefined;
  // A record that was there before is our own, of a try whose reply was lost.
  if (outcome.committed || outcome.failed.record) return new OpenLease(table, lease, takenAt);
  if (outcome.isUncertain) throw new Error('It is not known whether a lease was taken');
  return undefined;
}

/** The room that one scope has at its counter alone; none where its limits are others by now. */
async function roomIn(table: Table, scope: Scope, windows: Windows): Promise<Money> {
  const item = await readItem(table, counterKey(scope));
  return item && numberFrom(item['revision']) === scope.revision ? roomAt(item, windows) : Money.zero;
}
