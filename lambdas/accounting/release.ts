import { setTimeout as sleep } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { Money } from '../money/money.ts';
import { describeError, log } from '../platform/logger.ts';
import { DUE_AT_ONCE_MS } from '../store/generation-queries.ts';
import { checkpoint, pendingItem, type Hold, type PendingGeneration } from '../store/generations.ts';
import { emptyOutcome } from '../store/outcome.ts';
import type { Table } from '../store/table.ts';
import { isConditionFailure, retryConflicts, StoreBusyError } from '../store/transact.ts';
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

/** A record that keeps the place of the hold; should we die here, the sweep finds it at once, and charges nothing. */
async function putTombstone(table: Table, generation: Omit<PendingGeneration, 'hold'>): Promise<void> {
  const put = new PutCommand({
    TableName: table.name,
    Item: pendingItem({
      ...generation,
      hold: nothing,
      inputEstimate: { tokens: 0, cost: Money.zero },
      sweepAtMs: DUE_AT_ONCE_MS,
    }),
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  try {
    await retryConflicts(() => table.documents.send(put));
  } catch (error) {
    // The hold has come through after all, or this is our own write, whose reply was lost.
    if (!isConditionFailure(error)) throw error;
  }
}
