import { setTimeout as sleep } from 'node:timers/promises';
import { correctReturn, endLease, logCorrection } from '../accounting/return-lease.ts';
import { Money } from '../money/money.ts';
import { ageMs, type Moment } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { generationFrom } from '../store/generations/generation.ts';
import { leasedTimes, RECORD_TIMEOUT_MS, returnedOf, type Lease } from '../store/counters/leases.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError, type FailedCondition } from '../store/table/transact.ts';
import type { LeasedHold, LeasedRequest, RecordWrite } from './lease-source.ts';

/** Interval and maximum duration in ms of attempts to return a lease. After that, the sweep returns the lease. */
const RETRY_RETURN_EVERY_MS = 2_000;
const RETRY_RETURN_FOR_MS = 60_000;

/**
 * Money that this process holds in advance for many requests.
 *
 * Guarantee: when the lease ends, the process returns exactly the amount that no record holds. If the result of a write
 * is unknown, the process returns nothing, and the sweep returns the remainder (return-lease.ts). Guarantee: if the
 * sweep has already returned the lease, the end of the lease corrects the returned amount.
 */
export class OpenLease {
  readonly #table: Table;
  readonly #lease: Lease;
  readonly #takenAt: Moment;
  /** One promise for each hold whose record is not yet written. */
  readonly #records = new Set<Promise<void>>();
  #left: Money;
  #isUncertain = false;
  #end: Promise<void> | undefined;

  /** @param takenAt a moment before the lease was created, from which its age is measured */
  constructor(table: Table, lease: Lease, takenAt: Moment) {
    this.#table = table;
    this.#lease = lease;
    this.#takenAt = takenAt;
    this.#left = lease.amount;
  }

  /** Time in ms until the lease or its UTC day ends; negative after the end. */
  get remainingMs(): number {
    return leasedTimes(this.#lease).toMs - this.#lease.createdAtMs - ageMs(this.#takenAt);
  }

  get isLow(): boolean {
    return this.#lease.amount.exceeds(this.#left.plus(this.#left));
  }

  /** Whether less than half of the lease remains, and too little for this request. */
  isUsedUpFor({ amount }: LeasedRequest): boolean {
    return this.isLow && amount.exceeds(this.#left);
  }

  /** Returns whether the lease may serve a request, apart from its amount. */
  isFor({ generation: { createdAtMs } }: LeasedRequest): boolean {
    if (this.#end || this.#isUncertain || this.remainingMs < 0) return false;
    const { fromMs, toMs } = leasedTimes(this.#lease);
    return createdAtMs >= fromMs && createdAtMs <= toMs;
  }

  take(request: LeasedRequest): LeasedHold | undefined {
    const { amount } = request;
    if (amount.exceeds(this.#left) || !this.isFor(request)) return undefined;
    this.#left = this.#left.minus(amount);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#records.add(promise);
    return {
      leaseId: this.#lease.id,
      record: (write) =>
        this.#record(amount, write).finally(() => {
          this.#records.delete(promise);
          resolve();
        }),
    };
  }

  /** Ends the lease and returns its remainder, or leaves it to the sweep. Never throws. */
  end(): Promise<void> {
    this.#end ??= this.#releasesUnused();
    return this.#end;
  }

  async #record(amount: Money, write: RecordWrite): Promise<FailedCondition | undefined> {
    try {
      const existing = await write(RECORD_TIMEOUT_MS);
      // The record does not name this lease, so the request's money is held elsewhere.
      if (existing && !this.#isNamedIn(existing)) this.#left = this.#left.plus(amount);
      return existing;
    } catch (error) {
      // If the write was certainly rejected, the amount returns to the lease. Otherwise, the lease becomes uncertain.
      if (error instanceof StoreBusyError && !error.isUncertain) this.#left = this.#left.plus(amount);
      else this.#isUncertain = true;
      throw error;
    }
  }

  async #releasesUnused(): Promise<void> {
    await Promise.all(this.#records);
    if (this.#isUncertain) return;
    const deadlineMs = performance.now() + RETRY_RETURN_FOR_MS;
    for (;;) {
      try {
        return await this.#return();
      } catch (error) {
        if (performance.now() < deadlineMs) await sleep(RETRY_RETURN_EVERY_MS, undefined, { ref: false });
        else return log('error', 'lease not returned', { leaseId: this.#lease.id, ...describeError(error) });
      }
    }
  }

  /**
   * Returns the remainder of the lease, or corrects the amount that was returned earlier.
   * @throws {Error} if the table rejected the write, or its reply was lost; the call may be repeated
   */
  async #return(): Promise<void> {
    const before = await endLease(this.#table, this.#lease, this.#left);
    if (!before?.item) return;
    // The lease has ended before, by an attempt whose reply was lost, or by the sweep. Its returned amount may be
    // wrong.
    const returned = { was: returnedOf(before.item) ?? Money.zero, is: this.#left };
    if (returned.was.equals(returned.is)) return;
    const wasCorrected = (await correctReturn(this.#table, this.#lease, returned)) === undefined;
    if (wasCorrected) logCorrection(this.#lease, returned);
  }

  #isNamedIn({ item }: FailedCondition): boolean {
    return item !== undefined && generationFrom(item).lease?.id === this.#lease.id;
  }
}
