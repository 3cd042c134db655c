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

/**
 * A return that the table rejects is retried at this interval, for this long. After that, the sweep returns the lease.
 */
const RETRY_RETURN_EVERY_MS = 2_000;
const RETRY_RETURN_FOR_MS = 60_000;

/**
 * A lease from which this process takes holds.
 *
 * Guarantee: at its end, it gives back exactly the amount that no record holds. It waits for pending records first. If
 * the result of one is unknown, it gives nothing back: the sweep reads the records (return-lease.ts).
 * Guarantee: if the sweep has already returned the lease, because this process seemed dead, the end of the lease
 * corrects that.
 */
export class OpenLease {
  readonly #table: Table;
  readonly #lease: Lease;
  readonly #takenAt: Moment;
  /** One promise for each hold whose record is not written yet. */
  readonly #records = new Set<Promise<void>>();
  #left: Money;
  #isUncertain = false;
  #end: Promise<void> | undefined;

  /** @param takenAt a moment before the lease was created */
  constructor(table: Table, lease: Lease, takenAt: Moment) {
    this.#table = table;
    this.#lease = lease;
    this.#takenAt = takenAt;
    this.#left = lease.amount;
  }

  /** Remaining time for holds, in milliseconds: until the lease or its UTC day ends. Negative if it is over. */
  get remainingMs(): number {
    return leasedTimes(this.#lease).toMs - this.#lease.createdAtMs - ageMs(this.#takenAt);
  }

  /** Whether less than half of it remains. */
  get isLow(): boolean {
    return this.#lease.amount.exceeds(this.#left.plus(this.#left));
  }

  /** Whether so little remains that returning it is better than keeping it for smaller requests. */
  isUsedUpFor({ amount }: LeasedRequest): boolean {
    return this.isLow && amount.exceeds(this.#left);
  }

  /** Whether the lease may serve a request, apart from its amount. */
  isFor({ generation: { createdAtMs } }: LeasedRequest): boolean {
    if (this.#end || this.#isUncertain || this.remainingMs < 0) return false;
    const { fromMs, toMs } = leasedTimes(this.#lease);
    return createdAtMs >= fromMs && createdAtMs <= toMs;
  }

  /** Takes a hold if enough remains. */
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

  /** Stops further holds. Resolves when the remainder was given back or left to the sweep. Never throws. */
  end(): Promise<void> {
    this.#end ??= this.#giveBack();
    return this.#end;
  }

  async #record(amount: Money, write: RecordWrite): Promise<FailedCondition | undefined> {
    try {
      const existing = await write(RECORD_TIMEOUT_MS);
      // The amount of an existing record is held by the lease, if any, that the record names.
      if (existing && !this.#isNamedIn(existing)) this.#left = this.#left.plus(amount);
      return existing;
    } catch (error) {
      // A busy table has written nothing.
      if (error instanceof StoreBusyError && !error.isUncertain) this.#left = this.#left.plus(amount);
      else this.#isUncertain = true;
      throw error;
    }
  }

  async #giveBack(): Promise<void> {
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

  /** @throws {Error} if the table rejected the return, or its reply was lost: it may be repeated */
  async #return(): Promise<void> {
    const before = await endLease(this.#table, this.#lease, this.#left);
    if (!before?.item) return;
    // The reply to an earlier attempt was lost, or the sweep considered this process dead.
    const returned = { was: returnedOf(before.item) ?? Money.zero, is: this.#left };
    if (returned.was.equals(returned.is)) return;
    const wasCorrected = (await correctReturn(this.#table, this.#lease, returned)) === undefined;
    if (wasCorrected) logCorrection(this.#lease, returned);
  }

  #isNamedIn({ item }: FailedCondition): boolean {
    return item !== undefined && generationFrom(item).lease?.id === this.#lease.id;
  }
}
