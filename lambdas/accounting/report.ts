import { describeError, log } from '../platform/logger.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import { DUE_AT_ONCE_MS } from '../store/generations/generation-queries.ts';
import { checkpoint } from '../store/generations/generation-writes.ts';
import type { Table } from '../store/table/table.ts';
import { encodeSettlement, type Settlement } from './settlement.ts';

/**
 * Sends a finished generation to settlement.
 *
 * Guarantee: if the settlement message cannot be sent, the measured outcome is written to the generation's record, from
 * which the sweep settles it at once. If this write fails too, the sweep settles the hold when it expires.
 */
export async function reportSettlement(table: Table, queue: QueueSender, settlement: Settlement): Promise<void> {
  const { generationId, payer, outcome } = settlement;
  try {
    const { body, added } = encodeSettlement(settlement);
    await queue.send(body, { added });
    return;
  } catch (error) {
    log('error', 'settlement message not sent; the sweeper will settle', { generationId, ...describeError(error) });
  }
  try {
    await checkpoint(table, { accountId: payer.accountId, id: generationId }, outcome, DUE_AT_ONCE_MS);
  } catch (error) {
    log('error', 'measurement not recorded; the hold will expire', { generationId, ...describeError(error) });
  }
}
