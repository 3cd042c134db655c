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

/** Creates the refusal of a scope whose counter has no room. The refusal has the limits of the counter. */
export function noRoom(scope: Scope, counter: Counter, { generation, amount }: Wanted): NoRoom {
  const { limits, revision } = counter;
  const fresh = { ...scope, limits, revision };
  return { kind: 'no_room', scope: fresh, counter, windows: windowsAt(generation.createdAtMs), amount };
}

/** Reads the counters of scopes, and returns the refusals of those without room. Unreadable counters refuse nothing. */
export async function currentRefusals(table: Table, scopes: readonly Scope[], wanted: Wanted): Promise<NoRoom[]> {
  const refusals = await Promise.all(
    scopes.map(async (scope) => {
      const counter = await readCounter(table, scope).catch(() => undefined);
      const refused = counter && noRoom(scope, counter, wanted);
      return refused && refusingInterval(refused.counter, refused.windows, wanted.amount) ? [refused] : [];
    }),
  );
  return refusals.flat();
}

/** Returns the refusal of the scope with the least room: a smaller amount that fits there fits everywhere. */
export function tightest(refusals: readonly NoRoom[]): NoRoom {
  return refusals.reduce((least, one) => (leftIn(least).exceeds(leftIn(one)) ? one : least));
}

/**
 * Returns the refusal of the first hold of a request. Scopes that would have room without the holds of other requests
 * come last, so that no request waits for these holds in vain.
 */
export function refusalOfFirstHold(refusals: readonly NoRoom[]): NoRoom {
  const lasting = refusals.filter(({ counter, windows, amount }) =>
    refusingInterval({ ...counter, committed: counter.spent }, windows, amount),
  );
  return tightest(lasting.length > 0 ? lasting : refusals);
}

function leftIn({ counter, windows }: NoRoom): Money {
  return remaining(counter, windows) ?? Money.zero;
}
