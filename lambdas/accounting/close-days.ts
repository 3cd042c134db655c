import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { QueueSender } from '../platform/queue.ts';
import { listAccountIds } from '../store/accounts.ts';
import { readClosedThrough, saveClosedThrough } from '../store/activity.ts';
import { GENERATION_SHARDS, shardOf } from '../store/generations.ts';
import type { Table } from '../store/table.ts';
import { completedDays, dayBefore, isCompleted } from './activity-days.ts';
import { encodeRollUp, type RollUp } from './roll-up.ts';
import type { Settlement } from './settlement.ts';

/** A settlement that was committed just before midnight must be visible to the roll-up, whoever's clock is ahead. */
const AFTER_MIDNIGHT_MS = 3_000;

/**
 * Hands every account's days to the roll-up once they are over.
 *
 * Each day is asked for twice: when it has ended, and a day later, which repairs what a late settlement could not ask
 * for because its function died in between. A run that breaks off begins again; asking twice changes nothing.
 * Weakness: one run walks all accounts; beyond some hundred thousand of them it would have to be split.
 * @returns how many messages were sent
 */
export async function closeDays(table: Table, queue: QueueSender): Promise<number> {
  const atMs = nowMs() - AFTER_MIDNIGHT_MS;
  const yesterday = dayBefore(utcDate(atMs));
  const stored = await readClosedThrough(table);
  // A laptop's clock may have been set ahead when the table was last used: that day is no measure of this one.
  const closedThrough = stored !== undefined && stored > utcDate(atMs) ? undefined : stored;
  if (closedThrough !== undefined && closedThrough >= yesterday) return 0;
  const newDays = completedDays(atMs).filter((date) => closedThrough === undefined || date > closedThrough);
  const dates = closedThrough === undefined ? newDays : [closedThrough, ...newDays];
  let sent = 0;
  for await (const { id, createdAt } of listAccountIds(table)) {
    const ownDates = dates.filter((date) => date >= createdAt.slice(0, 10));
    const messages = ownDates.flatMap((date) => shardsOf(id, date));
    await Promise.all(messages.map((message) => queue.send(encodeRollUp(message))));
    sent += messages.length;
  }
  await saveClosedThrough(table, yesterday);
  return sent;
}

function shardsOf(accountId: string, date: string): RollUp[] {
  return Array.from({ length: GENERATION_SHARDS }, (_, shard) => ({ accountId, date, shard, sinceMs: nowMs() }));
}

/**
 * Asks again for the days of generations that were settled after their day had ended; call it after the settlement is
 * committed, for repeated messages as well: the first may have died before it could ask.
 */
export async function reopenDays(queue: () => QueueSender, settlements: Settlement[]): Promise<void> {
  const atMs = nowMs();
  const late = new Map<string, RollUp>();
  for (const { generationId, payer } of settlements) {
    const date = utcDate(generationTimeMs(generationId)!);
    if (!isCompleted(date, atMs)) continue;
    const rollUp = { accountId: payer.accountId, date, shard: shardOf(generationId), sinceMs: atMs };
    late.set(`${rollUp.accountId}#${date}#${rollUp.shard}`, rollUp);
  }
  await Promise.all([...late.values()].map((rollUp) => queue().send(encodeRollUp(rollUp))));
}
