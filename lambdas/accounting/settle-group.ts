import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { generationTimeMs } from '../platform/ids.ts';
import { correctionPut, difference, type Correction } from '../store/generations/corrections.ts';
import { addDeltas, hasChanges, settleUpdate, type CounterDeltas, type ScopeId } from '../store/counters/counters.ts';
import { generationFrom, type Generation } from '../store/generations/generation.ts';
import { finalUpdate } from '../store/generations/generation-writes.ts';
import { scopesOf } from '../store/accounts/payer.ts';
import type { Table } from '../store/table/table.ts';
import { transact, type Writes } from '../store/table/transact.ts';
import type { Key } from '../store/table/writes.ts';
import { counterName, forgetParts, partOf, randomPart } from './busy-counters.ts';
import { modelItemOf, ModelSums } from './model-sums.ts';
import { rateItemsOf, RateReleases } from './rate-releases.ts';
import { ServiceShares, serviceItemsOf } from './service-share.ts';
import type { Settlement } from './settlement.ts';

export type SettleResult = 'settled' | 'duplicate' | 'corrected';

/** Result of a settlement that names a generation without a record. A retry cannot help. */
export class UnknownGenerationError extends Error {
  override name = 'UnknownGenerationError';
}

/** Result of a settlement whose attempts all failed, because a record had changed or a part of a counter was closed. */
class UnsettledError extends Error {
  override name = 'UnsettledError';
}

const MAX_SETTLED_ITEMS = 100;
/** Maximum number of attempts. An attempt fails if a part of a counter was closed, or if a record has changed. */
const MAX_SETTLEMENT_ROUNDS = 5;

/** Returns the names of a settlement's writes in a transaction. */
export function writesOf(settlement: Settlement): string[] {
  return [settlement.generationId, ...sharedWritesOf(settlement)];
}

function sharedWritesOf(settlement: Settlement): string[] {
  return [
    ...scopesOf(settlement.payer).map(counterName),
    modelItemOf(settlement),
    ...serviceItemsOf(settlement),
    ...rateItemsOf(settlement),
  ];
}

/** Groups settlements into transactions of at most MAX_SETTLED_ITEMS items. */
export function transactionsOf(settlements: Settlement[]): Settlement[][] {
  const groups: Settlement[][] = [];
  let group: Settlement[] = [];
  let counters = new Set<string>();
  for (const settlement of settlements) {
    const own = sharedWritesOf(settlement);
    const together = new Set([...counters, ...own]);
    if (group.length > 0 && group.length + 1 + together.size > MAX_SETTLED_ITEMS) {
      groups.push(group);
      group = [];
      counters = new Set(own);
    } else {
      counters = together;
    }
    group.push(settlement);
  }
  return group.length > 0 ? [...groups, group] : groups;
}

/**
 * Settles a group in one transaction, except settlements that were already made.
 * @returns the result of each settlement, or the error that concerns only this settlement
 * @throws the error of the transaction as a whole; unless a reply was lost, the transaction has then written nothing
 */
export async function settleGroup(
  table: Table,
  group: Settlement[],
  options: { swept: boolean; attempts?: number | undefined },
): Promise<Map<string, SettleResult | Error>> {
  const results = new Map<string, SettleResult | Error>();
  let open = group;
  for (let round = 1; open.length > 0; round += 1) {
    // Uses a random part number, because concurrent transactions with different numbers share no part.
    const part = randomPart();
    const counters = countersOf(open, part);
    const outcome = await transact(table, settleWrites(table, open, { counters, part, swept: options.swept }), options);
    if (outcome.committed) {
      for (const { generationId } of open) results.set(generationId, 'settled');
      break;
    }
    // A closed part rejects the write, so the next attempt uses the counter itself.
    for (const [name, { scope }] of counters) if (outcome.failed[name]) forgetParts(scope);
    const next: Settlement[] = [];
    for (const settlement of open) {
      const refused = outcome.failed[settlement.generationId];
      const stored = refused?.item && generationFrom(refused.item);
      const result = refused ? await resolveRefusal(table, settlement, stored, options) : 'again';
      if (result !== 'again') results.set(settlement.generationId, result);
      else if (round < MAX_SETTLEMENT_ROUNDS) next.push(stored ? { ...settlement, hold: stored.hold } : settlement);
      else results.set(settlement.generationId, new UnsettledError(`Settlement did not finish within ${round} rounds`));
    }
    open = next;
  }
  return results;
}

async function resolveRefusal(
  table: Table,
  settlement: Settlement,
  stored: Generation | undefined,
  options: { swept: boolean },
): Promise<SettleResult | Error | 'again'> {
  if (!stored) return new UnknownGenerationError('The settlement names a generation without a record');
  // The amount in the message differs from the record if the reply to an extension of the hold was lost.
  if (stored.state === 'pending') return 'again';
  if (!stored.swept || options.swept) return 'duplicate';
  // Returns the error of a correction, because it must not fail the remaining settlements.
  return correct(table, settlement, stored).catch((error: unknown) => error as Error);
}

type Counters = Map<string, CountedScope>;

interface CountedScope {
  scope: ScopeId;
  deltas: CounterDeltas;
  /** Key of the part that gets the changes; undefined if they are written to the counter itself. */
  part: Key | undefined;
}

/** A scope in which either all requests of a group hold money, or none does. */
interface AlikeScope {
  scope: ScopeId;
  isHeld: boolean;
}

/**
 * Returns the scopes of the group's payers, without scopes in which only some of the requests hold money. An omitted
 * scope must not use a part of its counter.
 */
export function alikeScopes(group: Settlement[]): AlikeScope[] {
  const alike = new Map<string, AlikeScope>();
  const mixed = new Set<string>();
  for (const { payer, hold } of group) {
    for (const scope of scopesOf(payer)) {
      const name = counterName(scope);
      const isHeld = hold.scopes.includes(scope.kind);
      const known = alike.get(name);
      if (known && known.isHeld !== isHeld) mixed.add(name);
      if (!known) alike.set(name, { scope, isHeld });
    }
  }
  return [...alike].flatMap(([name, one]) => (mixed.has(name) ? [] : [one]));
}

function countersOf(group: Settlement[], number: number): Counters {
  return new Map(
    alikeScopes(group).map(({ scope, isHeld }) => {
      return [counterName(scope), { scope, deltas: new Map(), part: partOf(scope, number, { isHeld }) }];
    }),
  );
}

function settleWrites(
  table: Table,
  group: Settlement[],
  { counters, part, swept }: { counters: Counters; part: number; swept: boolean },
): Writes {
  const shares = new ServiceShares();
  const rates = new RateReleases();
  const writes: Writes = {};
  const atMs = nowMs();
  const models = new ModelSums(atMs);
  for (const settlement of group) {
    const { generationId, payer, hold, outcome } = settlement;
    shares.settle(settlement);
    rates.settle(settlement);
    models.settle(settlement);
    for (const scope of scopesOf(payer)) {
      const isHeld = hold.scopes.includes(scope.kind);
      const change = { spent: outcome.cost, committed: outcome.cost.minus(isHeld ? hold.amount : Money.zero) };
      // Without a hold, windows that may have been removed are skipped: a write would create them with only this
      // settlement.
      const only = isHeld ? {} : { keptAtMs: atMs };
      addDeltas(counterDeltas(counters, scope), settledWindows(generationId), change, only);
    }
    const generation = { accountId: payer.accountId, id: generationId };
    writes[generationId] = finalUpdate(table, generation, outcome, { from: 'pending', hold, swept }, atMs);
  }
  const partOfAccount = (id: string) => (counters.get(counterName({ kind: 'account', id }))?.part ? part : 0);
  const ofModels = models.writes(table, partOfAccount);
  return {
    ...writes,
    ...counterWrites(table, counters),
    ...ofModels,
    ...shares.writes(table),
    ...rates.writes(table),
  };
}

/** Replaces the sweep's estimate with the real outcome. A separate entry records the difference. */
async function correct(table: Table, settlement: Settlement, stored: Generation): Promise<SettleResult> {
  const { generationId, payer, outcome } = settlement;
  const { accountId } = payer;
  const before = stored.outcome!;
  const correction: Correction = { accountId, generationId, cause: 'late_settlement', before, after: outcome };
  const change = { spent: difference(correction), committed: difference(correction) };
  const atMs = nowMs();
  const counters: Counters = new Map();
  for (const scope of scopesOf(payer)) {
    // Skips windows that were removed from the counter: a write would create them with only the difference.
    addDeltas(counterDeltas(counters, scope), settledWindows(generationId), change, { keptAtMs: atMs });
  }
  const shares = new ServiceShares();
  shares.correct({ ...settlement, hold: stored.hold }, before);
  const models = new ModelSums(atMs);
  models.correct(settlement, before);
  const record = { accountId, id: generationId };
  const result = await transact(table, {
    record: finalUpdate(table, record, outcome, { from: 'swept', sweptCost: before.cost }, atMs),
    correction: correctionPut(table, correction, atMs),
    ...counterWrites(table, counters),
    ...models.writes(table, () => 0),
    ...shares.writes(table),
  });
  return result.committed ? 'corrected' : 'duplicate';
}

function counterDeltas(counters: Counters, scope: ScopeId): CounterDeltas {
  const known = counters.get(counterName(scope));
  if (known) return known.deltas;
  const deltas: CounterDeltas = new Map();
  counters.set(counterName(scope), { scope, deltas, part: undefined });
  return deltas;
}

/** Returns the writes of the counters that change. */
function counterWrites(table: Table, counters: Counters): Writes {
  const changed = [...counters].filter(([, { deltas }]) => hasChanges(deltas));
  return Object.fromEntries(
    changed.map(([name, { scope, deltas, part }]) => [name, settleUpdate(table, scope, deltas, part)]),
  );
}

function settledWindows(generationId: string) {
  return windowsAt(generationTimeMs(generationId)!);
}
