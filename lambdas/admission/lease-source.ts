import type { Scope, ScopeId } from '../store/counters/counters.ts';
import type { PendingGeneration } from '../store/generations/generation.ts';
import type { Money } from '../money/money.ts';
import type { Table } from '../store/table/table.ts';
import type { FailedCondition } from '../store/table/transact.ts';

/** A request for a hold in scopes that all have limits. */
export interface LeasedRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
}

/**
 * Writes the record of a request, which names the lease.
 * @param timeoutMs the write is abandoned after this time
 * @returns the record that existed before, or undefined
 * @throws {Error} if it is unknown whether the record exists
 */
export type RecordWrite = (timeoutMs: number) => Promise<FailedCondition | undefined>;

/** A request's part of a lease. If its record is not written, the process never returns the lease. */
export interface LeasedHold {
  leaseId: string;
  /** Runs the write of the record. Returns and throws the same as the write. */
  record: (write: RecordWrite) => Promise<FailedCondition | undefined>;
}

/** Source of holds that need no transaction of their own (leases.ts). Lambda functions do not load it. */
export interface LeaseSource {
  /** @returns undefined if the request needs a hold of its own */
  take: (table: Table, scopes: readonly Scope[], request: LeasedRequest) => Promise<LeasedHold | undefined>;
  /** Returns the leases in a scope that has refused a hold. */
  returnIn: (scope: ScopeId) => Promise<void>;
  /** Number of leases that have ended. If it grew during an attempt, the refusal is out of date. */
  readonly ended: number;
}

const ofProcess: { source?: LeaseSource } = {};

/** From now on, this process takes holds from leases if possible. For processes that serve many requests. */
export function holdFromLeases(source: LeaseSource): void {
  ofProcess.source = source;
}

/** The leases of this process; undefined if each request has its own hold. */
export function processLeases(): LeaseSource | undefined {
  return ofProcess.source;
}
