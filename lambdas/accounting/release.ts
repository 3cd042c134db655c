import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../money/money.ts';
import { describeError, log } from '../platform/logger.ts';
import { DUE_AT_ONCE_MS } from '../store/generations/generation-queries.ts';
import type { Hold, PendingGeneration } from '../store/generations/generation.ts';
import { checkpoint, pendingPut } from '../store/generations/generation-writes.ts';
import { emptyOutcome } from '../store/generations/outcome.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError, writeAlone } from '../store/table/transact.ts';
import { settleBatch } from './settle.ts';

/**
 * Releases a hold that may or may not exist, because no reply to its transaction arrived. Nothing was sent to a provider
 * for it.
 *
 * Guarantee: when this succeeds, the generation is final, free and cancelled, and nothing is held for it. That is true
 * even if the hold's transaction runs afterwards: its condition is that there is no record, and now there is one.
 * Never throws. Failing here leaves what was there before: a hold that the sweep will find, and charge for its prompt.
 * @returns whether it has succeeded
 */
export async function releaseUnknown(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<boolean> {
  const { id, payer, model, modelPermaslug, endpointId, providerName } = generation;
  const outcome = emptyOutcome({ model, modelPermaslug, endpointId, providerName }, 'refused_before');
  for (const pauseMs of RELEASE_PAUSES_MS) {
    await sleep(pauseMs);
    try {
      await putTombstone(table, generation);
      // What the record holds is released: nothing for the tombstone, the full amount if the hold was placed after all.
      const [result] = await settleBatch(table, [{ generationId: id, payer, hold: nothingHeld, outcome }], {
        swept: false,
      });
      if (!(result instanceof Error)) return true;
      throw result;
    } catch (error) {
      log('error', 'uncertain hold not released', { generationId: id, ...describeError(error) });
      // The store has retried for long enough.
      if (error instanceof StoreBusyError) break;
    }
  }
  await checkpoint(table, { accountId: payer.accountId, id }, outcome, DUE_AT_ONCE_MS).catch(() => undefined);
  return false;
}

/** What kept every reply from arriving is likely not over yet. */
const RELEASE_PAUSES_MS = [0, 250, 1_000];

const nothingHeld: Hold = { amount: Money.zero, steps: 1, scopes: [], serviceHolds: [] };

/**
 * A record that takes the place of the hold; if we die here, the sweep finds it at once, and charges nothing. A record that
 * exists already is the hold, placed after all, or our own tombstone, whose reply was lost.
 */
async function putTombstone(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<void> {
  const inputEstimate = { tokens: 0, cost: Money.zero };
  await writeAlone(
    table,
    pendingPut(table, { ...generation, hold: nothingHeld, inputEstimate, sweepAtMs: DUE_AT_ONCE_MS }),
  );
}
