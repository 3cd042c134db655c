/**
 * Changes that settlements make to their keys' counts of requests and tokens (store/counters/key-rates.ts). They are a
 * part of the settlement's transaction, so each request is subtracted exactly once.
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

export class RateReleases {
  readonly #changes = new Map<string, RateChange>();

  /**
   * Subtracts the request from the running requests. If the minute of its admission has not ended, replaces the tokens
   * estimated for the request with the tokens that it really used.
   */
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

export function rateItemsOf(settlement: Settlement): string[] {
  return settlement.hold.rateHolds.map((hold) => rateName(settlement, hold));
}

function changeBy({ generationId, outcome }: Settlement, { kind, tokens }: RateHold): number {
  if (kind === 'running') return -1;
  // A hold has tokens only if the key has a limit on tokens. After a minute has ended, nothing depends on its count.
  const hasEnded = minuteStart(generationTimeMs(generationId)!) + MINUTE_LENGTH_MS <= nowMs();
  return hasEnded || tokens === 0 ? 0 : outcome.promptTokens + outcome.completionTokens - tokens;
}

function rateName({ generationId, payer }: Settlement, hold: RateHold): string {
  const { pk, sk } = rateItemKey(payer.keyHash, hold, generationTimeMs(generationId)!);
  return `${pk} ${sk}`;
}
