import type { Scope, ScopeId } from '../store/counters/counters.ts';
import type { PendingGeneration } from '../store/generations/generation.ts';
import type { Money } from '../money/money.ts';
import type { Table } from '../store/table/table.ts';
import type { FailedCondition } from '../store/table/transact.ts';

export interface LeasedRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
}

/**
 * Writes the record of a request, which names the lease.
 * @returns the record that existed before, or undefined
 * @throws {Error} if the write fails, or if it is unknown whether the record exists
 */
export type RecordWrite = (timeoutMs: number) => Promise<FailedCondition | undefined>;

/**
 * Part of a lease (money held in advance for many requests) that is reserved for one request. The caller must call
 * `record`, because the lease ends only after it.
 */
export interface LeasedHold {
  leaseId: string;
  record: (write: RecordWrite) => Promise<FailedCondition | undefined>;
}

export interface LeaseSource {
  /** Takes a hold from a lease; returns undefined if the request needs a separate hold. */
  take: (table: Table, scopes: readonly Scope[], request: LeasedRequest) => Promise<LeasedHold | undefined>;
  returnIn: (scope: ScopeId) => Promise<void>;
  /** Number of ended leases. If it grew during an attempt, a refusal of that attempt may be out of date. */
  readonly ended: number;
}

const ofProcess: { source?: LeaseSource } = {};

/** Sets the leases from which this process takes holds. Call this in processes that serve many requests. */
export function holdFromLeases(source: LeaseSource): void {
  ofProcess.source = source;
}

/** Returns the leases of this process; undefined if each request has a separate hold. */
export function processLeases(): LeaseSource | undefined {
  return ofProcess.source;
}
