/**
 * Leases of a process that serves many requests. If a payer sends many requests, one transaction holds money for the
 * payer's next two seconds: a lease. Holds of requests are then taken from the lease.
 *
 * Guarantee: limits are as strict as without leases, because each lease is held in every limited scope, and its
 * requests get no more than its amount. If the process has died, or does not know whether a record was written, the
 * sweep returns the remainder (return-lease.ts). Before a limit refuses a request, the process returns its own leases,
 * if the table accepts this within half a second. If a counter has room for fewer than 256 holds, no lease is taken.
 * Weakness: holds from a lease ignore a disabled scope or a lowered limit until the lease ends, at most two seconds
 * later. If a process dies, the remainder of its lease stays held for two to slightly more than three minutes.
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

interface Demand {
  holds: number;
  amount: Money;
}

const MAX_LEASES_AT_ONCE = 2;

interface LeaseTerms {
  /** Minimum number of holds in one second for which a lease is taken. */
  minHoldsASecond: number;
  /** Minimum number of requests that a lease must pay for. */
  minHolds: number;
  /** The maximum size of a lease is the room in the limits divided by this number. */
  partsOfRoom: number;
  /** Time in ms in which a payer gets no lease after a refusal or a lost reply. */
  refusedMs: number;
}

const defaultTerms: LeaseTerms = { minHoldsASecond: 8, minHolds: 4, partsOfRoom: 64, refusedMs: 3_000 };
const MAX_TENANTS = 10_000;
/** Maximum time in ms of a wait for leases. */
const MAX_WAIT_MS = 500;

const noDemand: Demand = { holds: 0, amount: Money.zero };

/** All requests with exactly the same limited scopes, and their leases. */
class Tenant {
  readonly scopes: readonly Scope[];
  readonly leases = new Set<OpenLease>();
  /**
   * Resolves when the lease that is being taken is open or refused; never rejects. Undefined unless a lease is being
   * taken.
   */
  taking: Promise<void> | undefined;
  takesFromMs = -Infinity;
  #second = 0;
  #now = noDemand;
  #before = noDemand;

  constructor(scopes: readonly Scope[]) {
    this.scopes = scopes;
  }

  isIn({ kind, id }: ScopeId): boolean {
    return this.scopes.some((scope) => scope.kind === kind && scope.id === id);
  }

  note(amount: Money, atMs: number): void {
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#now : noDemand;
      this.#now = noDemand;
      this.#second = second;
    }
    this.#now = { holds: this.#now.holds + 1, amount: this.#now.amount.plus(amount) };
  }

  /** Demand of this second or of the previous second, whichever has more holds. */
  get demand(): Demand {
    return this.#now.holds > this.#before.holds ? this.#now : this.#before;
  }

  take(request: LeasedRequest): LeasedHold | undefined {
    for (const lease of this.leases) {
      const hold = lease.take(request);
      if (hold) return hold;
    }
    return undefined;
  }

  get needsLease(): boolean {
    return this.leases.size < MAX_LEASES_AT_ONCE && [...this.leases].every((lease) => lease.isLow);
  }
}

export class Leases implements LeaseSource {
  readonly #terms: LeaseTerms;
  readonly #monotonicMs: () => number;
  readonly #tenants = new BoundedMap<string, Tenant>(MAX_TENANTS);
  readonly #open = new Map<OpenLease, Tenant>();
  readonly #takers = new Set<Tenant>();
  #isOver = false;
  ended = 0;

  /** @param monotonicMs clock in ms; its zero may be any moment */
  constructor(terms: Partial<LeaseTerms> = {}, monotonicMs = () => performance.now()) {
    this.#terms = { ...defaultTerms, ...terms };
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Takes a hold from a lease. If a new lease is being taken, the request waits for it, at most half a second. A
   * separate hold would conflict with the lease's transaction.
   * @param scopes all limited scopes of the request
   * @returns undefined if the request needs a separate hold
   */
  async take(table: Table, scopes: readonly Scope[], request: LeasedRequest): Promise<LeasedHold | undefined> {
    if (this.#isOver || scopes.length === 0) return undefined;
    const name = scopes.map(({ kind, id, revision }) => `${kind}#${id}#${revision}`).join(' ');
    const tenant = this.#tenants.get(name) ?? new Tenant(scopes);
    const atMs = this.#monotonicMs();
    tenant.note(request.amount, atMs);
    this.#tenants.set(name, tenant);
    const hold = this.#takeFrom(tenant, request);
    if (!hold) for (const lease of tenant.leases) if (lease.isUsedUpFor(request)) void this.#end(lease);
    const isBusy = tenant.demand.holds >= this.#terms.minHoldsASecond && atMs >= tenant.takesFromMs;
    const isTimely = isLeasable(request.generation);
    if (isTimely && isBusy && !tenant.taking && tenant.needsLease) this.#takeLease(table, tenant, request);
    if (hold || !tenant.taking || !isTimely) return hold;
    await waitedFor(tenant.taking);
    return this.#takeFrom(tenant, request);
  }

  /**
   * Returns the money of this process's leases to a scope that has refused a hold, and pauses new leases of their
   * payers.
   */
  async returnIn(scope: ScopeId): Promise<void> {
    const tenants = new Set([...this.#takers, ...this.#open.values()].filter((tenant) => tenant.isIn(scope)));
    for (const tenant of tenants) this.#pause(tenant);
    await waitedFor(Promise.all([...tenants].flatMap(({ taking }) => taking ?? [])));
    const leases = [...this.#open].filter(([, tenant]) => tenants.has(tenant));
    await waitedFor(Promise.all(leases.map(([lease]) => this.#end(lease))));
  }

  /** Returns the money of all leases before the process ends. Never throws. */
  async returnAll(): Promise<void> {
    this.#isOver = true;
    await this.taken();
    await Promise.all([...this.#open.keys()].map((lease) => this.#end(lease)));
  }

  async taken(): Promise<void> {
    await Promise.all([...this.#takers].flatMap(({ taking }) => taking ?? []));
  }

  /**
   * Takes a hold from an open lease. If the write of the request's record fails, takes no new leases for the payer for
   * three seconds.
   */
  #takeFrom(tenant: Tenant, request: LeasedRequest): LeasedHold | undefined {
    const hold = tenant.take(request);
    if (!hold) return undefined;
    const pause = (error: unknown) => {
      this.#pause(tenant);
      throw error;
    };
    return { ...hold, record: (write) => hold.record(write).catch(pause) };
  }

  #pause(tenant: Tenant): void {
    tenant.takesFromMs = this.#monotonicMs() + this.#terms.refusedMs;
  }

  #takeLease(table: Table, tenant: Tenant, request: LeasedRequest): void {
    const { demand, scopes } = tenant;
    tenant.taking = takeLease(table, scopes, request, { demand, terms: this.#terms })
      .catch((error: unknown) => {
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

async function waitedFor(taking: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  await Promise.race([taking, promise]);
  clearTimeout(timer);
}

/**
 * Holds the amount that the demand of two seconds needs, in all scopes.
 * @returns undefined if the limits have too little room or have changed, or if the table is busy
 * @throws {Error} if it is unknown whether the lease was taken
 */
async function takeLease(
  table: Table,
  scopes: readonly Scope[],
  { generation: { payer, bootId }, amount: requested }: LeasedRequest,
  { demand, terms }: { demand: Demand; terms: LeaseTerms },
): Promise<OpenLease | undefined> {
  const atMs = nowMs();
  const rooms = await Promise.all(scopes.map((scope) => roomIn(table, scope, windowsAt(atMs))));
  const share = Money.fromPico(Money.min(rooms[0]!, ...rooms).pico / BigInt(terms.partsOfRoom));
  const amount = Money.min(Money.fromPico((demand.amount.pico * BigInt(LEASE_MS)) / 1_000n), share);
  if (requested.times(terms.minHolds).exceeds(amount) || amount.isZero) return undefined;
  const takenAt = thisMoment();
  const lease = newLease({ payer, bootId, amount, scopes: scopes.map(({ kind }) => kind) });
  const record = leasePut(table, lease);
  const scopeHold = { windows: windowsAt(lease.createdAtMs), amount };
  const outcome = await holdInScopes(table, scopes, scopeHold, { record }).catch((error: unknown) => {
    // Takes no lease if the table is busy. If an attempt without a reply has taken it after all, the sweep returns it.
    if (error instanceof StoreBusyError) return undefined;
    throw error;
  });
  if (!outcome) return undefined;
  if (outcome.committed || outcome.failed.record) return new OpenLease(table, lease, takenAt);
  if (outcome.isUncertain) throw new Error('The outcome of taking a lease is unknown');
  return undefined;
}

/** Room at the counter itself, without its parts. Zero if the scope's limits have changed. */
async function roomIn(table: Table, scope: Scope, windows: Windows): Promise<Money> {
  const item = await readItem(table, counterKey(scope));
  return item && numberFrom(item['revision']) === scope.revision ? roomAt(item, windows) : Money.zero;
}
