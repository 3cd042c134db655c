import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { addDeltas, settleUpdate, type CounterDeltas, type ScopeId } from '../store/counters.ts';
import { finalUpdate, generationFrom, generationKey, scopesOf, type Generation } from '../store/generations.ts';
import { moneyAttribute, type Table } from '../store/table.ts';
import { transact, type TransactItems } from '../store/transact.ts';
import type { Settlement } from './settlement.ts';

/**
 * Settlement: a pending generation becomes final, and its cost enters every counter of its payer.
 *
 * Guarantee: exactly once. The generation's step from pending to final is the condition of the transaction that moves
 * the counters, so a message that comes twice, late or out of order moves them once. A generation that the sweeper had
 * to estimate is corrected once, by the difference, when its real message comes.
 */
export type SettleResult = 'settled' | 'duplicate' | 'corrected';

/** The settlement names a generation that was never recorded: retrying cannot help, someone has to look. */
export class UnknownGenerationError extends Error {
  override name = 'UnknownGenerationError';
}

/** Settlements of one transaction: 20 records and at most four counters each stay below DynamoDB's 100 items. */
const MAX_GROUP = 18;

/**
 * Settles a batch with as few transactions as possible: one, when nothing in it was settled before.
 * @returns per settlement, in order, what it came to, or the error that only concerns this one.
 */
export async function settleBatch(
  table: Table,
  settlements: Settlement[],
  options: { swept: boolean },
): Promise<(SettleResult | Error)[]> {
  const results: (SettleResult | Error)[] = settlements.map(() => 'duplicate');
  const firstIndexById = new Map<string, number>();
  for (const [index, settlement] of settlements.entries()) {
    if (!firstIndexById.has(settlement.generationId)) firstIndexById.set(settlement.generationId, index);
  }
  const indexes = [...firstIndexById.values()];
  for (let start = 0; start < indexes.length; start += MAX_GROUP) {
    const group = indexes.slice(start, start + MAX_GROUP);
    const groupResults = await settleGroup(
      table,
      group.map((index) => settlements[index]!),
      options,
    );
    for (const [position, index] of group.entries()) results[index] = groupResults[position]!;
  }
  return results;
}

async function settleGroup(
  table: Table,
  group: Settlement[],
  options: { swept: boolean },
): Promise<(SettleResult | Error)[]> {
  const results = new Map<string, SettleResult | Error>();
  let open = group;
  while (open.length > 0) {
    const outcome = await transact(table, settleItems(table, open, options.swept));
    if (outcome.committed) {
      for (const settlement of open) results.set(settlement.generationId, 'settled');
      break;
    }
    const next: Settlement[] = [];
    for (const [index, settlement] of open.entries()) {
      const refused = outcome.failed[index];
      if (!refused) {
        next.push(settlement);
        continue;
      }
      const stored = refused.item && generationFrom(refused.item);
      const result = await resolveRefusal(table, settlement, stored, options);
      if (result === 'retry') next.push({ ...settlement, hold: stored!.hold });
      else results.set(settlement.generationId, result);
    }
    open = next;
  }
  return group.map((settlement) => results.get(settlement.generationId)!);
}

async function resolveRefusal(
  table: Table,
  settlement: Settlement,
  stored: Generation | undefined,
  options: { swept: boolean },
): Promise<SettleResult | Error | 'retry'> {
  if (!stored) return new UnknownGenerationError('The settlement names a generation without a record');
  // The reply to an extension may have been lost on the handler's side: what the record holds is the truth.
  if (stored.state === 'pending') return 'retry';
  if (stored.swept && !options.swept) return correct(table, settlement, stored);
  return 'duplicate';
}

function settleItems(table: Table, group: Settlement[], swept: boolean): TransactItems {
  const counters = new Map<string, { scope: ScopeId; deltas: CounterDeltas }>();
  const records: TransactItems = group.map((settlement) => {
    const { generationId, payer, hold, outcome } = settlement;
    const windows = windowsOf(generationId);
    for (const scope of scopesOf(payer)) {
      const held = hold.scopes.includes(scope.kind) ? hold.amount : Money.zero;
      addDeltas(counterOf(counters, scope), windows, {
        spent: outcome.cost,
        committed: outcome.cost.minus(held),
      });
    }
    const generation = { accountId: payer.accountId, id: generationId };
    return { Update: finalUpdate(table, generation, outcome, { from: 'pending', hold, swept }, nowMs()) };
  });
  return [...records, ...counterItems(table, counters)];
}

/** Replaces the sweeper's estimate by what really happened, and notes the difference as an entry of its own. */
async function correct(table: Table, settlement: Settlement, stored: Generation): Promise<SettleResult> {
  const { generationId, payer, outcome } = settlement;
  const sweptCost = stored.outcome!.cost;
  const difference = outcome.cost.minus(sweptCost);
  const counters = new Map<string, { scope: ScopeId; deltas: CounterDeltas }>();
  for (const scope of scopesOf(payer)) {
    addDeltas(counterOf(counters, scope), windowsOf(generationId), { spent: difference, committed: difference });
  }
  const atMs = nowMs();
  const key = generationKey(payer.accountId, generationId);
  const result = await transact(table, [
    {
      Update: finalUpdate(
        table,
        { accountId: payer.accountId, id: generationId },
        outcome,
        { from: 'swept', sweptCost },
        atMs,
      ),
    },
    {
      Put: {
        TableName: table.name,
        Item: {
          pk: key.pk,
          sk: `${generationId}#CORRECTION`,
          entity: 'correction',
          generation_id: generationId,
          correction_rub: moneyAttribute(difference),
          created_at: new Date(atMs).toISOString(),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    ...counterItems(table, counters),
  ]);
  return result.committed ? 'corrected' : 'duplicate';
}

function counterOf(counters: Map<string, { scope: ScopeId; deltas: CounterDeltas }>, scope: ScopeId): CounterDeltas {
  const name = `${scope.kind}#${scope.id}`;
  const known = counters.get(name);
  if (known) return known.deltas;
  const deltas: CounterDeltas = new Map();
  counters.set(name, { scope, deltas });
  return deltas;
}

function counterItems(table: Table, counters: Map<string, { scope: ScopeId; deltas: CounterDeltas }>): TransactItems {
  return [...counters.values()].map(({ scope, deltas }) => ({ Update: settleUpdate(table, scope, deltas) }));
}

function windowsOf(generationId: string) {
  return windowsAt(generationTimeMs(generationId)!);
}
