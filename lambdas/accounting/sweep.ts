/**
 * Sweep: settles holds whose handler has died or whose settlement message is lost. The charge is that of the last
 * measurement or, without a measurement, the estimate of the input. A video's hold without a complete measurement is
 * left to the worker that advances video jobs.
 *
 * Guarantee: a hold whose settlement is only late is not changed. While messages wait for the worker, or in the
 * dead-letter queue, no charge is estimated, however long the messages wait. Only holds of dead local gateways, whose
 * queues no longer exist, are excepted. Complete measurements are always settled.
 */

import { generationTimeMs } from '../platform/ids.ts';
import { describeError, log } from '../platform/logger.ts';
import type { Generation } from '../store/generations/generation.ts';
import {
  DUE_AT_ONCE_MS,
  pendingGenerations,
  readPending,
  type PendingEntry,
} from '../store/generations/generation-queries.ts';
import type { Table } from '../store/table/table.ts';
import type { Backlog } from './backlog.ts';
import { unmeasuredOutcome } from './ending.ts';
import type { SettleResult } from './settle-group.ts';
import { settleBatch } from './settle.ts';
import type { Settlement } from './settlement.ts';

export interface SweepSelection {
  /** Current time in epoch ms. */
  nowMs: number;
  backlog: Backlog;
  /** Ids of local gateway runs that have ended. */
  deadBootIds?: string[] | undefined;
  /** Time of performance.now() after which no further hold is started. */
  deadlineMs?: number;
  /** Queues the job of a video's generation again. Without this function, videos are skipped. */
  handBack?: ((generation: Generation) => Promise<void>) | undefined;
  /** Called before each settlement. If it fails, the hold is left to the next run. */
  beforeSettling?: ((settlement: Settlement) => Promise<void>) | undefined;
}

export interface SweepResult {
  /** Number of holds that this run has settled. */
  swept: number;
  /** Settlements that were made by this run or a concurrent run. */
  settled: Settlement[];
  /** Errors of holds that could not be settled. */
  failures: Error[];
}

/** Minimum age in ms of a hold whose settlement message can no longer be in the queue. */
const TOO_OLD_TO_FLOW_MS = 6 * 3_600_000;
const AT_ONCE = 8;

/** Settles the holds that are due. Never rejects. */
export async function sweepHolds(table: Table, selection: SweepSelection): Promise<SweepResult> {
  const result: SweepResult = { swept: 0, settled: [], failures: [] };
  const entries = pendingGenerations(table, reachOf(selection));
  const worker = async () => {
    while (performance.now() < (selection.deadlineMs ?? Infinity)) {
      const { value: entry, done } = await entries.next();
      if (done) return;
      if (mayBeSwept(entry, selection)) await sweepOne(table, entry, selection, result);
    }
  };
  for (const ended of await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))) {
    if (ended.status === 'rejected') result.failures.push(ended.reason as Error);
  }
  return result;
}

function reachOf({ nowMs, backlog, deadBootIds }: SweepSelection): { sweepAtMs?: number } {
  if (deadBootIds) return {};
  return { sweepAtMs: backlog === 'waiting' ? DUE_AT_ONCE_MS : nowMs };
}

/**
 * Returns whether an entry of the index may be due. The index may be outdated, but the fields used here never change,
 * or are checked again in the record.
 */
function mayBeSwept({ key, bootId, isDueAtOnce }: PendingEntry, selection: SweepSelection): boolean {
  if (isDueAtOnce) return true;
  if (selection.deadBootIds) return bootId !== undefined && selection.deadBootIds.includes(bootId);
  if (selection.backlog === 'none') return true;
  return selection.backlog === 'flowing' && generationTimeMs(key.sk)! + TOO_OLD_TO_FLOW_MS <= selection.nowMs;
}

async function sweepOne(
  table: Table,
  entry: PendingEntry,
  selection: SweepSelection,
  result: SweepResult,
): Promise<void> {
  try {
    const generation = await readPending(table, entry);
    if (!generation || !isDue(generation, selection)) return;
    const { complete } = generation;
    if (generation.apiType === 'video' && !complete) return await selection.handBack?.(generation);
    const settlement = settlementOf(generation);
    await selection.beforeSettling?.(settlement);
    // A complete measurement equals the outcome in the handler's message, so its settlement is not marked as an
    // estimate.
    const [settled] = (await settleBatch(table, [settlement], { swept: !complete })) as [SettleResult | Error];
    if (settled instanceof Error) throw settled;
    if (settled === 'settled') result.swept += 1;
    // Includes settlements that a concurrent run has made, or whose reply was lost.
    result.settled.push(settlement);
  } catch (error) {
    log('error', 'hold not swept', { worker: 'sweep-holds', generationId: entry.key.sk, ...describeError(error) });
    result.failures.push(error as Error);
  }
}

function isDue({ state, complete, sweepAtMs = Infinity }: Generation, { nowMs, deadBootIds }: SweepSelection): boolean {
  if (state !== 'pending') return false;
  return deadBootIds !== undefined || complete || sweepAtMs <= nowMs;
}

function settlementOf(generation: Generation): Settlement {
  const { id, payer, hold, outcome, complete } = generation;
  const measured = outcome && !complete ? { ...outcome, estimated: true, cancelled: true } : outcome;
  return { generationId: id, payer, hold, outcome: measured ?? unmeasuredOutcome(generation) };
}
