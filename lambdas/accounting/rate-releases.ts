/**
 * Changes that settlements make to the counts of their keys (store/counters/key-rates.ts). The transaction of the
 * settlement makes them, so each request stops to count as running exactly once, also if a sweep settles it.
 */

import { nowMs } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import {
  MINUTE_LENGTH_MS,
  minuteStart,
  rateItemKey,
  rateSettleUpdate,
  type RateChange,
  type RateHold,
} from '../store/counters/key-rates.ts';
import type { Table } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import type { Settlement } from './settlement.ts';

/** Changes of a group of settlements, summed by item. */
export class RateReleases {
  readonly #changes = new Map<string, RateChange>();

  /** Ends the running request, and replaces its held tokens with the real ones while its minute lasts. */
  settle(settlement: Settlement): void {
    for (const hold of settlement.hold.rateHolds) {
      const change = changeBy(settlement, hold);
      const name = rateName(settlement, hold);
      const { generationId, payer } = settlement;
      const before = this.#changes.get(name)?.change ?? 0;
      this.#changes.set(name, { generationId, keyHash: payer.keyHash, hold, change: before + change });
    }
  }

  writes(table: Table): Writes {
    const changed = [...this.#changes].filter(([, { change }]) => change !== 0);
    return Object.fromEntries(changed.map(([name, change]) => [name, rateSettleUpdate(table, change)]));
  }
}

/** Returns the names of the counts that a settlement may change. */
export function rateItemsOf(settlement: Settlement): string[] {
  return settlement.hold.rateHolds.map((hold) => rateName(settlement, hold));
}

function changeBy({ generationId, outcome }: Settlement, { kind, tokens }: RateHold): number {
  if (kind === 'running') return -1;
  // Without a limit on tokens, none are counted. Nothing depends on the count of a minute that has ended.
  const hasEnded = minuteStart(generationTimeMs(generationId)!) + MINUTE_LENGTH_MS <= nowMs();
  return hasEnded || tokens === 0 ? 0 : outcome.promptTokens + outcome.completionTokens - tokens;
}

function rateName({ generationId, payer }: Settlement, hold: RateHold): string {
  const { pk, sk } = rateItemKey(payer.keyHash, hold, generationTimeMs(generationId)!);
  return `${pk} ${sk}`;
}
