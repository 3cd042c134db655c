import { endLease } from '../accounting/return-lease.ts';
import { Money } from '../money/money.ts';
import { ageMs, type Moment } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { generationFrom } from '../store/generation.ts';
import { leasedTimes, RECORD_TIMEOUT_MS, returnedOf, type Lease } from '../store/leases.ts';
import type { Table } from '../store/table.ts';
import type { FailedCondition } from '../store/transact.ts';
import type { LeasedHold, LeasedRequest, RecordWrite } from './lease-source.ts';

/**
 * A lease from which this process takes holds.
 *
 * Guarantee: what it gives back at its end is what no record has of it. It waits for the records that are under way, and where the fate of one is not
 * known, it gives nothing back: the sweep asks the records (return-lease.ts).
 */
export class OpenLease {
  readonly #table: Table;
  readonly #lease: Lease;
  readonly #takenAt: Moment;
  /** One for each hold whose record is not written yet. */
  readonly #records = new Set<Promise<void>>();
  #left: Money;
  #isUncertain = false;
  #end: Promise<void> | undefined;

  /** @param takenAt a moment before it was made */
  constructor(table: Table, lease: Lease, takenAt: Moment) {
    this.#table = table;
    this.#lease = lease;
    this.#takenAt = takenAt;
    this.#left = lease.amount;
  }

  /** How long it may still be taken from, in milliseconds: to its end, or to that of its UTC day. Below 0 it is over. */
  get remainingMs(): number {
    return leasedTimes(this.#lease).toMs - this.#lease.createdAtMs - ageMs(this.#takenAt);
  }

  /** Whether less than half of it is left. */
  get isLow(): boolean {
    return this.#lease.amount.exceeds(this.#left.plus(this.#left));
  }

  /** Whether so little is left that it is better given back than kept for smaller requests. */
  isUsedUpFor({ amount }: LeasedRequest): boolean {
    return this.isLow && amount.exceeds(this.#left);
  }

  /** Whether a request may be held from it, if there is enough left. */
  isFor({ generation: { createdAtMs } }: LeasedRequest): boolean {
    if (this.#end || this.#isUncertain || this.remainingMs < 0) return false;
    const { fromMs, toMs } = leasedTimes(this.#lease);
    return createdAtMs >= fromMs && createdAtMs <= toMs;
  }

  /** Takes a hold, if there is enough left. */
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

  /** From now on nothing is taken from it. Resolves when what is left was given back, or is left to the sweep; never throws. */
  end(): Promise<void> {
    this.#end ??= this.#giveBack();
    return this.#end;
  }

  async #record(amount: Money, write: RecordWrite): Promise<FailedCondition | undefined> {
    try {
      const existing = await write(RECORD_TIMEOUT_MS);
      // The record of an earlier try is held by whatever it says.
      if (existing && !this.#isNamedIn(existing)) this.#left = this.#left.plus(amount);
      return existing;
    } catch (error) {
      this.#isUncertain = true;
      throw error;
    }
  }

  async #giveBack(): Promise<void> {
    await Promise.all(this.#records);
    if (this.#isUncertain) return;
    await endLease(this.#table, this.#lease, this.#left).then(
      (before) => before?.item && this.#compareReturned(returnedOf(before.item)),
      (error: unknown) => log('error', 'lease not returned', { ...describeError(error) }),
    );
  }

  /** A reply to the return may have been lost. Otherwise the sweep has taken this process for dead, and what it has recorded since is held by nothing. */
  #compareReturned(returned = Money.zero): void {
    if (returned.equals(this.#left)) return;
    const differenceRub = returned.minus(this.#left).toString();
    log('error', 'lease was returned with another amount', { leaseId: this.#lease.id, differenceRub });
  }

  #isNamedIn({ item }: FailedCondition): boolean {
    return item !== undefined && generationFrom(item).lease?.id === this.#lease.id;
  }
}
