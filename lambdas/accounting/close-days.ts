import { datesBetween, utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { QueueSender } from '../platform/queues/queue.ts';
import { accountPages } from '../store/accounts/accounts.ts';
import { readDayProgress, saveDayProgress, saveDaysDone } from '../store/days/day-progress.ts';
import { GENERATION_SHARDS, shardOf } from '../store/generations/generation-key.ts';
import type { Table } from '../store/table/table.ts';
import { dayBefore, daysBefore, isCompleted } from './activity-days.ts';
import { encodeRollUp, type RollUp } from './roll-up.ts';
import type { Settlement } from './settlement.ts';

const MAX_DAYS_AT_ONCE = 400;
/**
 * Number of days, from the last closed day on, that are queued after a pause of more than MAX_DAYS_AT_ONCE days. The
 * other queued days are the most recent ones.
 */
const OLDEST_DAYS = 30;

/** Time in ms after midnight before a day is closed. Clocks may differ. */
const AFTER_MIDNIGHT_MS = 3_000;

/**
 * Queues the ended days of every account for the roll-up. Normally each day is queued twice: when it has ended, and
 * with the next day. The second time repairs days that a late settlement should have queued but did not, because its
 * function died. An interrupted run is continued by the next run.
 * @param options.deadlineMs time of performance.now() after which no more accounts are started
 * @returns number of messages sent
 */
export async function closeDays(
  table: Table,
  queue: QueueSender,
  options: { deadlineMs?: number } = {},
): Promise<number> {
  const atMs = nowMs() - AFTER_MIDNIGHT_MS;
  const yesterday = dayBefore(utcDate(atMs));
  const { through: stored, current: closing } = await readDayProgress(table, 'CLOSED');
  // Ignores a stored day in the future, which another clock may have written.
  const closedThrough = stored !== undefined && stored > utcDate(atMs) ? undefined : stored;
  if (closedThrough !== undefined && closedThrough >= yesterday) return 0;
  const dates = daysToQueue(closedThrough, yesterday);
  const isContinued = closing?.through === yesterday;
  let sent = 0;
  for await (const page of accountPages(table, isContinued ? closing.accountsUpTo : undefined)) {
    if (performance.now() >= (options.deadlineMs ?? Infinity)) return sent;
    const messages = page.flatMap(({ id, createdAt }) =>
      dates.filter((date) => date >= createdAt.slice(0, 10)).flatMap((date) => shardsOf(id, date)),
    );
    await Promise.all(messages.map((message) => queue.send(encodeRollUp(message))));
    await saveDayProgress(table, 'CLOSED', { through: yesterday, accountsUpTo: page.at(-1)!.place });
    sent += messages.length;
  }
  await saveDaysDone(table, 'CLOSED', yesterday);
  return sent;
}

/** Returns the days from the last closed day through yesterday, at most MAX_DAYS_AT_ONCE (see OLDEST_DAYS). */
function daysToQueue(closedThrough: string | undefined, yesterday: string): string[] {
  const days = datesBetween(closedThrough ?? utcDate(0), yesterday);
  if (closedThrough === undefined || days.length <= MAX_DAYS_AT_ONCE) return days.slice(-MAX_DAYS_AT_ONCE);
  return [...days.slice(0, OLDEST_DAYS), ...days.slice(OLDEST_DAYS - MAX_DAYS_AT_ONCE)];
}

/** Number of days before the last closed day that are queued again after queues were lost. */
const REPEATED_DAYS = 7;

/** Makes the next run of `closeDays` queue the last closed day and the seven days before it again. */
export async function closeDaysAgain(table: Table): Promise<void> {
  const { through } = await readDayProgress(table, 'CLOSED');
  if (through !== undefined) await saveDaysDone(table, 'CLOSED', daysBefore(through, REPEATED_DAYS));
}

function shardsOf(accountId: string, date: string): RollUp[] {
  return Array.from({ length: GENERATION_SHARDS }, (_, shard) => ({ accountId, date, shard, sinceMs: nowMs() }));
}

/**
 * Queues the days of generations that were settled after their day ended. Call it after the settlement is committed,
 * also for repeated messages: the handler of the first message may have died before it queued the days.
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
