import type { Scope, ScopeId } from '../store/counters/counters.ts';
import type { PendingGeneration } from '../store/generations/generation.ts';
import type { Money } from '../money/money.ts';
import type { Table } from '../store/table/table.ts';
import type { FailedCondition } from '../store/table/transact.ts';

/** A request that asks for a hold in scopes that all have limits. */
export interface LeasedRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
}

/**
 * Writes the record of a request, which names the lease.
 * @param timeoutMs after this time it is given up
 * @returns the record that was there before, or undefined
 * @throws {Error} it is not known whether the record is there
 */
export type RecordWrite = (timeoutMs: number) => Promise<FailedCondition | undefined>;

/** The part of a lease that a request has. Its record has to be written, or the lease is never returned by its process. */
export interface LeasedHold {
  leaseId: string;
  /** Has the record written. Returns and throws what that does. */
  record: (write: RecordWrite) => Promise<FailedCondition | undefined>;
}

/** The source of holds that need no transaction of their own: leases.ts, of which functions load nothing. */
export interface LeaseSource {
  /** @returns undefined where the request has to be held by itself */
  take: (table: Table, scopes: readonly Scope[], request: LeasedRequest) => Promise<LeasedHold | undefined>;
  /** Returns what is leased in a scope that has refused a hold. */
  returnIn: (scope: ScopeId) => Promise<void>;
  /** How many leases are over by now. One that has ended meanwhile makes a refusal out of date. */
  readonly ended: number;
}

const ofProcess: { source?: LeaseSource } = {};

/** From now on this process, which answers many requests, holds from leases where it can. */
export function holdFromLeases(source: LeaseSource): void {
  ofProcess.source = source;
}

/** The leases of this process; undefined where each request is held by itself. */
export function processLeases(): LeaseSource | undefined {
  return ofProcess.source;
}
