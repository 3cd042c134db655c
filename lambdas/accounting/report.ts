import { describeError, log } from '../platform/logger.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import { DUE_AT_ONCE_MS } from '../store/generations/generation-queries.ts';
import { checkpoint } from '../store/generations/generation-writes.ts';
import type { Table } from '../store/table/table.ts';
import { encodeSettlement, type Settlement } from './settlement.ts';

/**
 * Sends a finished generation to settlement.
 *
 * Guarantee: when this resolves, SQS has stored the message, or the measurement is in the record and the sweep may
 * settle it at once. If both fail, the sweep finds the hold when it expires. Money is then settled late, but never
 * lost.
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
