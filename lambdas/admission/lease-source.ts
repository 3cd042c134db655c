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
 * Writes the record of a request. The record names the lease.
 * @param timeoutMs the write is abandoned after this time
 * @returns the record that existed before, or undefined
 * @throws {Error} if the write fails, or if it is unknown whether the record exists
 */
export type RecordWrite = (timeoutMs: number) => Promise<FailedCondition | undefined>;

/**
 * Part of a lease (money held in advance for many requests) that is reserved for one request. The lease cannot be
 * returned before `record` has ended, so the caller must call `record`.
 */
export interface LeasedHold {
  leaseId: string;
  /** Runs the write of the record. Returns and throws the same as the write. */
  record: (write: RecordWrite) => Promise<FailedCondition | undefined>;
}

/**
 * Source of holds that need no transaction of their own (leases.ts). Lambda functions do not load the implementation.
 */
export interface LeaseSource {
  /**
   * Takes a hold from a lease.
   * @returns undefined if the request needs a separate hold
   */
  take: (table: Table, scopes: readonly Scope[], request: LeasedRequest) => Promise<LeasedHold | undefined>;
  /** Returns the money of the process's leases to a scope that has refused a hold. */
  returnIn: (scope: ScopeId) => Promise<void>;
  /**
   * Number of leases that have ended. If the number grew during an attempt to place a hold, a refusal of that attempt
   * may be out of date, because an ended lease releases money.
   */
  readonly ended: number;
}

const ofProcess: { source?: LeaseSource } = {};

/** Sets the leases from which this process takes holds. Call this only in processes that serve many requests. */
export function holdFromLeases(source: LeaseSource): void {
  ofProcess.source = source;
}

/** Returns the leases of this process; undefined if each request has a separate hold. */
export function processLeases(): LeaseSource | undefined {
  return ofProcess.source;
}
