/** Refusals of holds because limits have no room. */

import { Money } from '../money/money.ts';
import { windowsAt, type Windows } from '../money/periods.ts';
import { readCounter, refusingInterval, remaining, type Counter, type Scope } from '../store/counters/counters.ts';
import type { Table } from '../store/table/table.ts';

/** A limit of the scope has no room. The counter is as last read. */
export interface NoRoom {
  kind: 'no_room';
  scope: Scope;
  counter: Counter;
  windows: Windows;
  amount: Money;
}

/** The parts of a request for a hold that decide whether a counter has room. */
interface Wanted {
  generation: { createdAtMs: number };
  amount: Money;
}

/** Creates the refusal of a scope whose counter has no room. */
export function noRoom(scope: Scope, counter: Counter, { generation, amount }: Wanted): NoRoom {
  return { kind: 'no_room', scope, counter, windows: windowsAt(generation.createdAtMs), amount };
}

/**
 * Reads the counter of a scope, and returns the refusal if it has no room; otherwise, or if it cannot be read, an empty
 * list.
 */
export async function currentRefusal(table: Table, scope: Scope, wanted: Wanted): Promise<NoRoom[]> {
  const counter = await readCounter(table, scope).catch(() => undefined);
  if (!counter) return [];
  const { limits, revision } = counter;
  const refused = noRoom({ ...scope, limits, revision }, counter, wanted);
  return refusingInterval(counter, refused.windows, wanted.amount) ? [refused] : [];
}

/** Returns the refusal of the scope with the least room: a smaller amount that fits there fits everywhere. */
export function tightest(refusals: readonly NoRoom[]): NoRoom {
  return refusals.reduce((least, one) => (leftIn(least).exceeds(leftIn(one)) ? one : least));
}

/**
 * Returns the refusal of a first hold. Scopes that would have room without the holds of other requests come last, so
 * that no request waits for these holds in vain.
 */
export function refusalOfFirst(refusals: readonly NoRoom[]): NoRoom {
  const lasting = refusals.filter(({ counter, windows, amount }) =>
    refusingInterval({ ...counter, committed: counter.spent }, windows, amount),
  );
  return tightest(lasting.length > 0 ? lasting : refusals);
}

function leftIn({ counter, windows }: NoRoom): Money {
  return remaining(counter, windows) ?? Money.zero;
}
