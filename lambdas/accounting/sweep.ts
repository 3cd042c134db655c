import { pendingGenerations } from '../store/generation-queries.ts';
import { generationFrom, unmeasuredOutcome } from '../store/generations.ts';
import { readItem } from '../store/query.ts';
import type { Item, Table } from '../store/table.ts';
import { settleBatch } from './settle.ts';
import type { Settlement } from './settlement.ts';

/**
 * Sweep: holds whose handler died are settled from their last measurement, else from their input; never from zero, and
 * never by releasing them. A record is read consistently before it is judged: the index only says where to look.
 */
export interface SweepSelection {
  /** Holds that may be swept at this time. */
  nowMs: number;
  /** Also every hold of another life of a local gateway: its handlers are gone for certain. */
  aliveBootId?: string | undefined;
}

/** @returns what was settled. */
export async function sweepHolds(table: Table, selection: SweepSelection): Promise<Settlement[]> {
  const swept: Settlement[] = [];
  const upTo = selection.aliveBootId === undefined ? { sweepAtMs: selection.nowMs } : {};
  for await (const key of pendingGenerations(table, upTo)) {
    const item = await readItem(table, key);
    if (!item || !maySweep(item, selection)) continue;
    const { settlement, complete } = settlementOf(item);
    // A complete measurement is what the handler would have sent: it is not an estimate that waits for a correction.
    const [result] = await settleBatch(table, [settlement], { swept: !complete });
    if (result instanceof Error) throw result;
    if (result === 'settled') swept.push(settlement);
  }
  return swept;
}

function maySweep(item: Item, selection: SweepSelection): boolean {
  const generation = generationFrom(item);
  if (generation.state !== 'pending') return false;
  if (selection.aliveBootId !== undefined && generation.bootId !== selection.aliveBootId) return true;
  return Date.parse(item['sweep_at'] as string) <= selection.nowMs;
}

function settlementOf(item: Item): { settlement: Settlement; complete: boolean } {
  const generation = generationFrom(item);
  const measured =
    generation.outcome && !generation.complete
      ? { ...generation.outcome, estimated: true, cancelled: true }
      : generation.outcome;
  return {
    settlement: {
      generationId: generation.id,
      payer: generation.payer,
      hold: generation.hold,
      outcome: measured ?? unmeasuredOutcome(item),
    },
    complete: generation.complete,
  };
}
