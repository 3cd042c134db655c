import type { Money } from '../../money/money.ts';
import { pendingAttributes, whilePending, type Hold, type PendingGeneration } from './generation.ts';
import { generationKey, sweepPartitionOf } from './generation-key.ts';
import { absentAttributes, outcomeRecord, type Outcome } from './outcome.ts';
import { indexes, moneyAttribute, type Item, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { putNew, update, type Condition, type Write } from '../table/writes.ts';

export interface GenerationId {
  accountId: string;
  id: string;
}

/**
 * Returns the write that creates a pending generation. If the generation has its own hold, include the write in the
 * transaction of the hold.
 */
export function pendingPut(table: Table, generation: PendingGeneration): Write {
  const { id, payer } = generation;
  return putNew(table, {
    ...generationKey(payer.accountId, id),
    [indexes.sweep.partition]: sweepPartitionOf(id),
    entity: 'generation',
    state: 'pending',
    ...pendingAttributes(generation),
  });
}

/**
 * Returns the write that adds an amount, which may be negative, to a generation's hold. It fails if the number of
 * changes of the hold (steps) has changed since it was read.
 */
export function holdChange(
  table: Table,
  { accountId, id }: GenerationId,
  step: { from: number; amount: Money },
): Write {
  return update(table, generationKey(accountId, id), {
    add: { hold_rub: moneyAttribute(step.amount), hold_steps: 1 },
    when: { equal: { state: 'pending', hold_steps: step.from } },
  });
}

/**
 * Records the latest measurement of a pending generation. With `sweepAtMs`, it is the last measurement, and the sweep
 * may settle from it at that time. Changes nothing if the generation is final or has its last measurement.
 */
export async function checkpoint(
  table: Table,
  { accountId, id }: GenerationId,
  outcome: Outcome,
  sweepAtMs?: number,
): Promise<void> {
  const last =
    sweepAtMs === undefined ? {} : { [indexes.sweep.sort]: new Date(sweepAtMs).toISOString(), complete: true };
  const set = { checkpoint: outcomeRecord.toItem(outcome), ...last };
  const when: Condition = { equal: { state: 'pending' }, absent: ['complete'] };
  await writeAlone(table, update(table, generationKey(accountId, id), { set, when }));
}

/** Makes this run of a local gateway responsible for a generation of an earlier run. */
export async function adopt(table: Table, { accountId, id }: GenerationId, bootId: string): Promise<void> {
  const change = { set: { boot_id: bootId }, when: { equal: { state: 'pending' } } };
  await writeAlone(table, update(table, generationKey(accountId, id), change));
}

/** Change to a final outcome: from pending with exactly this hold, or as a correction of the sweep's estimate. */
export type FinalTransition = { from: 'pending'; hold: Hold; swept: boolean } | { from: 'swept'; sweptCost: Money };

export function finalUpdate(
  table: Table,
  { accountId, id }: GenerationId,
  outcome: Outcome,
  transition: FinalTransition,
  settledAtMs: number,
): Write {
  const attributes = outcomeRecord.toItem(outcome);
  const isCorrection = transition.from === 'swept';
  const set: Item = {
    ...attributes,
    state: 'final',
    swept: !isCorrection && transition.swept,
    settled_at: new Date(settledAtMs).toISOString(),
    correction_rub: isCorrection ? moneyAttribute(outcome.cost.minus(transition.sweptCost)) : undefined,
  };
  return update(table, generationKey(accountId, id), {
    set,
    remove: [...whilePending, ...absentAttributes(attributes)],
    when: conditionOf(transition),
  });
}

function conditionOf(transition: FinalTransition): Condition {
  if (transition.from === 'swept') {
    return { equal: { state: 'final', swept: true, total_cost_rub: moneyAttribute(transition.sweptCost) } };
  }
  const { amount, steps, serviceHolds, rateHolds } = transition.hold;
  return {
    equal: { state: 'pending', hold_rub: moneyAttribute(amount), hold_steps: steps },
    // The record may have holds that the caller does not know, because the reply to the write that added them was lost.
    absent: [...(serviceHolds.length > 0 ? [] : ['service_holds']), ...(rateHolds.length > 0 ? [] : ['rate_holds'])],
  };
}
