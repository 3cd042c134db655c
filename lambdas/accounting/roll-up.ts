import * as z from 'zod';
import { nowMs } from '../platform/clock.ts';
import { bookTripwires, log } from '../platform/logger.ts';
import {
  confirmVersion,
  dailyRows,
  dailyRowTexts,
  deleteRows,
  moveVersion,
  readDay,
  takeVersion,
  writeRows,
  type DailyRow,
} from '../store/days/activity.ts';
import { generationsOfShard } from '../store/generations/generation-queries.ts';
import { GENERATION_SHARDS } from '../store/generations/generation-key.ts';
import { saveRecordedSpending, type RecordedSpending } from '../store/counters/recorded-budgets.ts';
import { readTagSettings } from '../store/accounts/account-tags.ts';
import type { Table } from '../store/table/table.ts';
import { isCompleted } from './activity-days.ts';
import { linesOf, provesItsPrice } from './generation-lines.ts';
import { isActivity } from './daily-sums.ts';
import { DayRows } from './day-rows.ts';
import { ServiceSpending } from './service-spending.ts';

export interface RollUp {
  accountId: string;
  date: string;
  shard: number;
  /** Time in epoch ms. The rows must include every settlement from before this time. */
  sinceMs: number;
}

const rollUpMessage = z.object({
  v: z.literal(1),
  account_id: z.string(),
  date: z.iso.date(),
  shard: z
    .int()
    .min(0)
    .max(GENERATION_SHARDS - 1),
  since_ms: z.int(),
});

export function encodeRollUp({ accountId, date, shard, sinceMs }: RollUp): string {
  const message: z.input<typeof rollUpMessage> = { v: 1, account_id: accountId, date, shard, since_ms: sinceMs };
  return JSON.stringify(message);
}

/** @throws {Error} if the text is not a message of a known version */
export function decodeRollUp(text: string): RollUp {
  const { account_id, date, shard, since_ms } = rollUpMessage.parse(JSON.parse(text));
  return { accountId: account_id, date, shard, sinceMs: since_ms };
}

/** Assumed maximum of the difference between the clocks of two Lambda environments, in ms. */
const CLOCK_SKEW_MS = 5_000;

/** Thrown for a day that is not over. */
export class OpenDayError extends Error {
  override name = 'OpenDayError';
}

/**
 * Recomputes the rows of one shard from its final generations. Rows by key are split by the current reported tags.
 *
 * Guarantee: idempotent. In any order of recomputations, the rows of the recomputation that started last are current.
 * Each recomputation uses consistent reads, made after it started.
 * Weakness: a pending generation is not in the rows until it is settled.
 * @returns 'unchanged' if the stored rows are equal to the computed rows, or newer
 * @throws {OpenDayError} for a day that is not over
 */
export async function rollUpShard(
  table: Table,
  { accountId, date, shard, sinceMs }: RollUp,
): Promise<'rolled-up' | 'unchanged'> {
  if (!isCompleted(date, nowMs())) throw new OpenDayError(`The UTC day ${date} is not over`);
  const day = await readDay(table, accountId, date);
  const readAtMs = day?.readAtMs[shard];
  if (readAtMs !== undefined && readAtMs > sinceMs + CLOCK_SKEW_MS) return 'unchanged';
  const version = await takeVersion(table, accountId, date);
  const begunAtMs = nowMs();
  const { reported: splitBy } = await readTagSettings(table, accountId);
  const { rows: computed, spending } = await computeShard(table, { accountId, date, shard, version, splitBy });
  const stored = await storedRows(table, accountId, date, shard);
  const current = stored.filter((row) => row.version === day?.versions[shard]);
  const found = day?.versions[shard];
  const of = { accountId, date, shard };
  // Stores an empty list too if rows exist, because a correction may have reduced the spending on free models to zero.
  if (spending.length > 0 || found !== undefined) await saveRecordedSpending(table, of, { version, spending });
  if (found !== undefined && sameRows(current, computed)) {
    if (await confirmVersion(table, of, { found, version, readAtMs: begunAtMs, splitBy })) return 'unchanged';
  }
  await writeRows(table, accountId, date, computed);
  const counts = await moveVersion(table, of, { version, readAtMs: begunAtMs, splitBy });
  // If a newer recomputation exists, the rows of this one are deleted.
  const obsolete = counts ? stored.filter((row) => row.version < version) : computed;
  await deleteRows(table, accountId, date, obsolete);
  return counts ? 'rolled-up' : 'unchanged';
}

async function storedRows(table: Table, accountId: string, date: string, shard: number): Promise<DailyRow[]> {
  const rows: DailyRow[] = [];
  for await (const row of dailyRows(table, accountId, date)) if (row.shard === shard) rows.push(row);
  return rows;
}

/** Returns the rows of a day that has not been rolled up, as if the day were over now. */
export async function openDayRows(table: Table, accountId: string, date: string): Promise<DailyRow[]> {
  const { reported: splitBy } = await readTagSettings(table, accountId);
  const shards = Array.from({ length: GENERATION_SHARDS }, (_, shard) =>
    computeShard(table, { accountId, date, shard, version: 0, splitBy }),
  );
  return (await Promise.all(shards)).flatMap(({ rows }) => rows);
}

async function computeShard(
  table: Table,
  of: { accountId: string; date: string; shard: number; version: number; splitBy: readonly string[] },
): Promise<{ rows: DailyRow[]; spending: RecordedSpending[] }> {
  const rows = new DayRows();
  const spending = new ServiceSpending();
  const unproven: string[] = [];
  for await (const generation of generationsOfShard(table, of)) {
    spending.addRecord(generation);
    if (!isActivity(generation)) continue;
    rows.add(generation, of);
    if (!provesItsPrice(generation, linesOf(generation))) unproven.push(generation.id);
  }
  logUnproven(unproven, of);
  return { rows: [...rows.byName().values()], spending: spending.all() };
}

function logUnproven([first, ...others]: string[], { accountId, date }: { accountId: string; date: string }): void {
  if (first === undefined) return;
  log('error', bookTripwires.unprovenRecord, { accountId, date, generationId: first, count: others.length + 1 });
}

function sameRows(a: DailyRow[], b: DailyRow[]): boolean {
  return a.length === b.length && textOf(a) === textOf(b);
}

function textOf(rows: DailyRow[]): string {
  return rows
    .map((row) => JSON.stringify([...dailyRowTexts({ ...row, version: 0 })]))
    .toSorted()
    .join('\n');
}
