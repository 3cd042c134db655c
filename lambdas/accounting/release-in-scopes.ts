import { Money } from '../money/money.ts';
import { addDeltas, settleUpdate, type CounterDeltas, type ScopeId } from '../store/counters/counters.ts';
import type { ScopeHold } from '../store/counters/limited-parts.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError, transact, type FailedCondition, type Writes } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';
import { counterName, forgetParts, partOf, randomPart } from './busy-counters.ts';

/** Maximum number of attempts. An attempt fails if a part of a counter is closed. */
const MAX_ROUNDS = 3;

/**
 * Returns a held amount to scopes, and writes a record of the return, in one transaction.
 * @param record write whose condition is true only once, so that the amount is returned only once
 * @returns undefined on success, otherwise the failed condition of `record`
 * @throws {StoreBusyError} if the table stayed busy, or parts were closed during every attempt. Nothing was returned,
 * unless `isUncertain` of the error is true.
 * @throws {Error} if the transaction failed in another way; its reply may have been lost
 */
export async function releaseInScopes(
  table: Table,
  scopes: readonly ScopeId[],
  { windows, amount }: ScopeHold,
  record: Write,
): Promise<FailedCondition | undefined> {
  const deltas: CounterDeltas = new Map();
  addDeltas(deltas, windows, { spent: Money.zero, committed: amount.negated() });
  // Uses a random part number, because concurrent transactions with different numbers share no part.
  const number = randomPart();
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const counters: Writes = {};
    for (const scope of scopes) {
      counters[counterName(scope)] = settleUpdate(table, scope, deltas, partOf(scope, number, { isHeld: true }));
    }
    const outcome = await transact<string>(table, { ...counters, record });
    if (outcome.committed) return undefined;
    if (outcome.failed['record']) return outcome.failed['record'];
    // A failed condition on a counter means that its part was closed.
    for (const scope of scopes) if (outcome.failed[counterName(scope)]) forgetParts(scope);
  }
  throw new StoreBusyError(new Error('Counter parts were closed during the release of an amount'));
}
