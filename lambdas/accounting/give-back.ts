import { Money } from '../money/money.ts';
import { addDeltas, settleUpdate, type CounterDeltas, type ScopeId } from '../store/counters/counters.ts';
import type { ScopeHold } from '../store/counters/limited-parts.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError, transact, type FailedCondition, type Writes } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';
import { counterName, forgetParts, partOf, randomPart } from './busy-counters.ts';

/** So often parts may be closed under it. */
const MAX_ROUNDS = 3;

/**
 * Gives what is held back to some scopes, and writes what says so, in one transaction. Where counters have parts, any of them takes it.
 * @param record has a condition that holds once
 * @returns undefined when it is done, else the failed condition of `record`
 * @throws {StoreBusyError} nothing was written, or its reply was lost
 */
export async function giveBackInScopes(
  table: Table,
  scopes: readonly ScopeId[],
  { windows, amount }: ScopeHold,
  record: Write,
): Promise<FailedCondition | undefined> {
  const deltas: CounterDeltas = new Map();
  addDeltas(deltas, windows, { spent: Money.zero, committed: amount.negated() });
  // The same number for all counters: transactions that do not meet at one of them do not meet at another.
  const number = randomPart();
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const counters: Writes = {};
    for (const scope of scopes) {
      counters[counterName(scope)] = settleUpdate(table, scope, deltas, partOf(scope, number, { isHeld: true }));
    }
    const outcome = await transact<string>(table, { ...counters, record });
    if (outcome.committed) return undefined;
    if (outcome.failed['record']) return outcome.failed['record'];
    // Parts that were closed.
    for (const scope of scopes) if (outcome.failed[counterName(scope)]) forgetParts(scope);
  }
  throw new StoreBusyError(new Error('Parts were closed while something was given back'));
}
