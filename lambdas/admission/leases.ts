/**
 * Leases of a process that serves many requests. If a payer sends many requests, the process holds money for the
 * payer's next two seconds in one transaction: a lease. It then takes the holds of requests from the lease. Each of
 * these holds is a subtraction in memory and one plain write of the request's record.
 *
 * Guarantee: limits are as strict as without leases. A lease is held in every limited scope by the same transaction as
 * any hold, and its requests get no more than its amount. When the lease ends, its process returns the remainder. If
 * the process has died, or does not know whether a record was written, the sweep returns the remainder, computed from
 * the records (return-lease.ts).
 * Guarantee: no request is refused because of leases of its own process. The process first returns the money of the
 * leases, if the table accepts this within half a second. A lease is at most a 64th of the available room. If a counter
 * has room for fewer than 256 holds, no lease is taken, so each request places its own hold in the last roubles.
 * Weakness: a process notices a disabled scope or a lowered limit when its lease ends, at most two seconds later. It
 * notices other changes to a caller when the cached caller expires, as without leases. If a process dies, the remainder
 * of its lease stays held for two to slightly more than three minutes.
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

/** Holds that one payer requests within one second. */
interface Demand {
  holds: number;
  amount: Money;
}

/** Maximum number of open leases of a payer: the current lease and its successor. */
const MAX_LEASES_AT_ONCE = 2;

/** Conditions for taking a lease, and its maximum size. */
interface LeaseTerms {
  /** Minimum number of holds in a second at which a payer gets a lease. */
  minHoldsASecond: number;
  /** Minimum number of requests that a lease must pay for. A smaller lease is not taken. */
  minHolds: number;
  /** The maximum size of a lease is the room in the limits divided by this number. */
  partsOfRoom: number;
  /**
   * Time in ms in which a payer gets no lease after a refusal or a lost reply. Each request then has a separate hold.
   */
  refusedMs: number;
}

const defaultTerms: LeaseTerms = { minHoldsASecond: 8, minHolds: 4, partsOfRoom: 64, refusedMs: 3_000 };
const MAX_TENANTS = 10_000;
/**
 * Maximum time in ms that a request waits for a lease. Taking a lease normally takes a few milliseconds, but may take
 * seconds if the table is busy.
 */
const MAX_WAIT_MS = 500;

const noDemand: Demand = { holds: 0, amount: Money.zero };

/**
 * A payer of leases: all requests with exactly the same limited scopes (key, workspace, member, account), and their
 * leases.
 */
class Tenant {
  readonly scopes: readonly Scope[];
  readonly leases = new Set<OpenLease>();
  /**
   * Resolves when the current attempt to take a lease ends, with or without a lease. Never rejects. Undefined if there
   * is no attempt.
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

  /** Number and amount of the holds requested in this second or in the previous second, whichever has more holds. */
  get demand(): Demand {
    return this.#now.holds > this.#before.holds ? this.#now : this.#before;
  }

  /** Takes a hold from a lease with enough room; undefined if no lease has enough. */
  take(request: LeasedRequest): LeasedHold | undefined {
    for (const lease of this.leases) {
      const hold = lease.take(request);
      if (hold) return hold;
    }
    return undefined;
  }

  /** Whether less than half of each lease remains, and another lease may be taken. */
  get needsLease(): boolean {
    return this.leases.size < MAX_LEASES_AT_ONCE && [...this.leases].every((lease) => lease.isLow);
  }
}

export class Leases implements LeaseSource {
  readonly #terms: LeaseTerms;
  readonly #monotonicMs: () => number;
  readonly #tenants = new BoundedMap<string, Tenant>(MAX_TENANTS);
  readonly #open = new Map<OpenLease, Tenant>();
  /** Tenants (payers with their scopes) for which a lease is being taken. */
  readonly #takers = new Set<Tenant>();
  #isOver = false;
  ended = 0;

  /** @param monotonicMs clock in ms by which holds per second are counted; its zero may be any moment */
  constructor(terms: Partial<LeaseTerms> = {}, monotonicMs = () => performance.now()) {
    this.#terms = { ...defaultTerms, ...terms };
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Takes a hold from a lease. If no lease has enough room and a new lease is being taken, the request waits for the
   * new lease, at most half a second. A separate hold would conflict with the lease's transaction on the counters.
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
    // A new lease cannot serve a request that has waited long, or that was received before the last midnight UTC.
    const isTimely = isLeasable(request.generation);
    if (isTimely && isBusy && !tenant.taking && tenant.needsLease) this.#takeLease(table, tenant, request);
    if (hold || !tenant.taking || !isTimely) return hold;
    await waitedFor(tenant.taking);
    return this.#takeFrom(tenant, request);
  }

  /**
   * Returns the money of this process's leases to a scope that has refused a hold. For three seconds, takes no new
   * leases for the payers of these leases.
   */
  async returnIn(scope: ScopeId): Promise<void> {
    const tenants = new Set([...this.#takers, ...this.#open.values()].filter((tenant) => tenant.isIn(scope)));
    for (const tenant of tenants) this.#pause(tenant);
    // Waits for leases that are being taken, because they too would fill the limits a moment later.
    await waitedFor(Promise.all([...tenants].flatMap(({ taking }) => taking ?? [])));
    const leases = [...this.#open].filter(([, tenant]) => tenants.has(tenant));
    await waitedFor(Promise.all(leases.map(([lease]) => this.#end(lease))));
  }

  /** Returns the money of all leases, because the process is about to end. Never throws. */
  async returnAll(): Promise<void> {
    this.#isOver = true;
    await this.taken();
    await Promise.all([...this.#open.keys()].map((lease) => this.#end(lease)));
  }

  /** Resolves when no lease is being taken. */
  async taken(): Promise<void> {
    await Promise.all([...this.#takers].flatMap(({ taking }) => taking ?? []));
  }

  /**
   * Takes a hold from the leases of a payer (tenant). If the write of the request's record fails, the payer gets no new
   * leases for three seconds, because writes of other records would probably fail too.
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

  /** Takes no new leases for a payer (tenant) for three seconds. Without a lease, each request places its own hold. */
  #pause(tenant: Tenant): void {
    tenant.takesFromMs = this.#monotonicMs() + this.#terms.refusedMs;
  }

  #takeLease(table: Table, tenant: Tenant, request: LeasedRequest): void {
    const { demand, scopes } = tenant;
    tenant.taking = takeLease(table, scopes, request, { demand, terms: this.#terms })
      .catch((error: unknown) => {
        // If the lease was taken despite the error, the sweep returns it.
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

/** Waits at most half a second for leases that are being taken or returned. Both may take long if the table is busy. */
async function waitedFor(taking: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  await Promise.race([taking, promise]);
  clearTimeout(timer);
}

/**
 * Holds the amount that a payer will probably need in two seconds, in all its limited scopes.
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
    // The table was busy. If an attempt without a reply took the lease, the sweep returns it.
    if (error instanceof StoreBusyError) return undefined;
    throw error;
  });
  if (!outcome) return undefined;
  // If the record exists, an attempt whose reply was lost has created this lease.
  if (outcome.committed || outcome.failed.record) return new OpenLease(table, lease, takenAt);
  if (outcome.isUncertain) throw new Error('The outcome of taking a lease is unknown');
  return undefined;
}

/**
 * Returns the room at a scope's own counter, without the items (parts) into which a busy counter is split. Returns zero
 * if the scope's limits have changed.
 */
async function roomIn(table: Table, scope: Scope, windows: Windows): Promise<Money> {
  const item = await readItem(table, counterKey(scope));
  return item && numberFrom(item['revision']) === scope.revision ? roomAt(item, windows) : Money.zero;
}
