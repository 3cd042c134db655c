import { setTimeout as sleep } from 'node:timers/promises';
import { Money } from '../money/money.ts';
import { describeError, log } from '../platform/logger.ts';
import { DUE_AT_ONCE_MS } from '../store/generation-queries.ts';
import type { Hold, PendingGeneration } from '../store/generation.ts';
import { checkpoint, pendingPut } from '../store/generation-writes.ts';
import { emptyOutcome } from '../store/outcome.ts';
import type { Table } from '../store/table.ts';
import { StoreBusyError, writeAlone } from '../store/transact.ts';
import { settleBatch } from './settle.ts';

/**
 * Releases a hold of which nobody knows whether it stands, because no reply to it came through, and for which nothing
 * was sent to a provider.
 *
 * Guarantee: when this succeeds, the generation is final, free and cancelled, and nothing is held for it, also when the
 * hold's transaction is only carried out afterwards: it has the condition that there is no record, and now there is one.
 * Never throws. Failing here leaves what was there before: a hold that the sweep will find.
 */
export async function releaseUnknown(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<void> {
  const { id, payer, model, modelPermaslug, endpointId, providerName } = generation;
  const outcome = emptyOutcome({ model, modelPermaslug, endpointId, providerName }, 'refused_before');
  for (const pauseMs of PAUSES_MS) {
    await sleep(pauseMs);
    try {
      await putTombstone(table, generation);
      // Whatever the record holds is released: the tombstone nothing, the hold that came through what it had promised.
      const [result] = await settleBatch(table, [{ generationId: id, payer, hold: nothing, outcome }], {
        swept: false,
      });
      if (!(result instanceof Error)) return;
      throw result;
    } catch (error) {
      log('error', 'uncertain hold not released', { generationId: id, ...describeError(error) });
      // That has been tried for long enough.
      if (error instanceof StoreBusyError) break;
    }
  }
  await checkpoint(table, { accountId: payer.accountId, id }, outcome, DUE_AT_ONCE_MS).catch(() => undefined);
}

/** What kept every reply from coming through is likely not over yet. */
const PAUSES_MS = [0, 250, 1_000];

const nothing: Hold = { amount: Money.zero, steps: 1, scopes: [] };

/**
 * A record that keeps the place of the hold; should we die here, the sweep finds it at once, and charges nothing. Where one
 * stands already, the hold has come through after all, or it is our own, whose reply was lost.
 */
async function putTombstone(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<void> {
  const inputEstimate = { tokens: 0, cost: Money.zero };
  await writeAlone(
    table,
    pendingPut(table, { ...generation, hold: nothing, inputEstimate, sweepAtMs: DUE_AT_ONCE_MS }),
  );
}
