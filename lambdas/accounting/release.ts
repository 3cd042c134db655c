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
 * Releases a hold that may or may not exist, because the reply to its transaction was lost. Nothing was sent to a
 * provider for it.
 *
 * Guarantee: on success, the generation is final, free and cancelled, and holds nothing. This is so even if the hold's
 * transaction arrives later: that transaction requires that the generation has no record, and the release has written
 * one. On failure, the sweep settles the hold, if it exists. The settlement is free if this function could still write
 * the outcome; otherwise the prompt is charged when the hold expires. Never throws.
 * @returns whether the hold was released
 */
export async function releaseUnknown(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<boolean> {
  const { id, payer, model, modelPermaslug, endpointId, providerName } = generation;
  const outcome = emptyOutcome({ model, modelPermaslug, endpointId, providerName }, 'refused_before');
  for (const pauseMs of RELEASE_PAUSES_MS) {
    await sleep(pauseMs);
    try {
      await putTombstone(table, generation);
      // Releases the amount in the record: zero in the tombstone, or the hold that was placed after all.
      const [result] = await settleBatch(table, [{ generationId: id, payer, hold: nothingHeld, outcome }], {
        swept: false,
      });
      if (!(result instanceof Error)) return true;
      throw result;
    } catch (error) {
      log('error', 'uncertain hold not released', { generationId: id, ...describeError(error) });
      // No further attempt is made after this error, because the store itself has already retried.
      if (error instanceof StoreBusyError) break;
    }
  }
  await checkpoint(table, { accountId: payer.accountId, id }, outcome, DUE_AT_ONCE_MS).catch(() => undefined);
  return false;
}

/** Pauses in ms before each attempt. */
const RELEASE_PAUSES_MS = [0, 250, 1_000];

const nothingHeld: Hold = { amount: Money.zero, steps: 1, scopes: [], serviceHolds: [], rateHolds: [] };

/**
 * Writes a record without a hold (a tombstone), so that the hold can no longer be placed. If this process dies, the
 * sweep finds the tombstone at once and charges nothing.
 */
async function putTombstone(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<void> {
  const inputEstimate = { tokens: 0, units: undefined, cost: Money.zero };
  await writeAlone(
    table,
    pendingPut(table, { ...generation, hold: nothingHeld, inputEstimate, sweepAtMs: DUE_AT_ONCE_MS }),
  );
}
