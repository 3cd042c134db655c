import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { describeError, log } from '../platform/logger.ts';
import { gatherCounter, hasOldParts } from '../store/counters/counter-parts.ts';
import { pruneCounter } from '../store/counters/counters.ts';
import { scopesOf } from '../store/accounts/payer.ts';
import type { Table } from '../store/table/table.ts';
import type { Settlement } from './settlement.ts';

/** UTC date of the last attempt, by counter. The map only avoids repeated work, so it may be incomplete. */
const prunedOn = new Map<string, string>();
const MAX_REMEMBERED = 10_000;

/**
 * Removes the sums of past days, weeks and months (windows) from the counters of settled scopes, usually once a day in
 * each process.
 */
export async function pruneOnceADay(table: Table, settlements: Settlement[]): Promise<void> {
  const today = utcDate(nowMs());
  for (const scope of settlements.flatMap(({ payer }) => scopesOf(payer))) {
    const name = `${scope.kind}#${scope.id}`;
    if (prunedOn.get(name) === today) continue;
    if (prunedOn.size >= MAX_REMEMBERED) prunedOn.clear();
    prunedOn.set(name, today);
    try {
      // Merges old parts first, because windows are removed only from counters without parts.
      if (await hasOldParts(table, scope, Date.parse(today))) await gatherCounter(table, scope);
      await pruneCounter(table, scope, nowMs());
    } catch (error) {
      log('warn', 'old windows not removed', describeError(error));
    }
  }
}
