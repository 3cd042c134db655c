import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unauthenticated } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { windowsAt } from '../money/periods.ts';
import { counterFrom, holdUpdate, readCounter, type Counter, type Scope } from '../store/counters.ts';
import { extendHoldUpdate, pendingItem, type Hold, type PendingGeneration } from '../store/generations.ts';
import { isLimited } from '../store/limits.ts';
import { itemOfFailedCondition, numberFrom, type Item, type Table } from '../store/table.ts';
import { isConditionFailure, retryConflicts, StoreBusyError, transact } from '../store/transact.ts';
import { spendingRefusal } from './refusal.ts';

/**
 * Holds: money promised before anything is sent upstream.
 *
 * Guarantee: a generation is recorded, and its hold counted in every limited scope, in one transaction: all or nothing.
 * Under any concurrency, settled and promised spending of a limited scope never pass its limit, because each counter
 * adds the hold only on condition that there is room in each of its windows.
 * Weakness: a scope that had no limit when the caller was read is not touched, so its first limit takes effect when
 * that reading expires (three seconds); a limit that changes is noticed at once, by its revision.
 */
export interface HoldRequest {
  generation: Omit<PendingGeneration, 'hold'>;
  amount: Money;
  scopes: Scope[];
  /** Output tokens that an amount of money would buy in this request, for the message of a refusal. */
  affordableTokens: (amount: Money) => number;
}

/** A hold that was placed, with what is needed to extend it. */
export interface PlacedHold {
  hold: Hold;
  scopes: Scope[];
}

/** @throws {GatewayError} 402 without room, 401 when a scope was switched off since the caller was read. */
export async function placeHold(table: Table, request: HoldRequest): Promise<PlacedHold> {
  let scopes = request.scopes.filter((scope) => isLimited(scope.limits));
  const windows = windowsAt(request.generation.createdAtMs);
  for (const scope of scopes) {
    if (exceedsSomeLimit(scope, request.amount)) {
      const counter = await readCounter(table, scope);
      scopes = refresh(scopes, scope, counter);
      const fresh = scopes.find(({ kind }) => kind === scope.kind);
      if (fresh && exceedsSomeLimit(fresh, request.amount)) throw refusal(fresh, counter, request);
    }
  }
  // The second attempt is for limits that changed since they were read; a third would mean they change all the time.
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const hold: Hold = { amount: request.amount, steps: 1, scopes: scopes.map((scope) => scope.kind) };
    const item = pendingItem({ ...request.generation, hold });
    if (scopes.length === 0) {
      await putUnlimited(table, item);
      return { hold, scopes };
    }
    const outcome = await transact(table, [
      { Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
      ...scopes.map((scope) => ({ Update: holdUpdate(table, scope, windows, request.amount) })),
    ]);
    // Ids are random: an existing record can only be our own write, whose reply was lost.
    if (outcome.committed || outcome.failed[0]) return { hold, scopes };
    scopes = scopesAfterRefusal(scopes, outcome.failed.slice(1), request);
  }
  throw new StoreBusyError('Limits kept changing while a hold was placed');
}

/** Adds `amount` to a placed hold, under the same conditions. @returns the raised hold, or why there is no room. */
export async function extendHold(
  table: Table,
  placed: PlacedHold,
  request: HoldRequest,
): Promise<{ extended: true; placed: PlacedHold } | { extended: false; reason: Error }> {
  const { accountId } = request.generation.payer;
  const windows = windowsAt(request.generation.createdAtMs);
  const raised: Hold = {
    ...placed.hold,
    amount: placed.hold.amount.plus(request.amount),
    steps: placed.hold.steps + 1,
  };
  let scopes = placed.scopes;
  try {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const outcome = await transact(table, [
        {
          Update: extendHoldUpdate(
            table,
            { accountId, id: request.generation.id },
            { from: placed.hold.steps, amount: request.amount },
          ),
        },
        ...scopes.map((scope) => ({ Update: holdUpdate(table, scope, windows, request.amount) })),
      ]);
      if (outcome.committed) return { extended: true, placed: { hold: raised, scopes } };
      const record = outcome.failed[0]?.item;
      if (record && numberFrom(record['hold_steps']) === raised.steps) {
        return { extended: true, placed: { hold: raised, scopes } };
      }
      if (outcome.failed[0]) return { extended: false, reason: new Error('The generation is already settled') };
      // A scope that lost its limit keeps its part of the hold until settlement, so it stays in the hold as it is.
      scopes = scopes.map((scope, index) => {
        const refused = outcome.failed[index + 1];
        return refused ? freshScope(scope, storedCounter(refused.item), request) : scope;
      });
    }
    return { extended: false, reason: new StoreBusyError('Limits kept changing while a hold was extended') };
  } catch (error) {
    return { extended: false, reason: error as Error };
  }
}

async function putUnlimited(table: Table, item: Record<string, unknown>): Promise<void> {
  const put = new PutCommand({
    TableName: table.name,
    Item: item,
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await retryConflicts(() => table.documents.send(put));
  } catch (error) {
    const ours = isConditionFailure(error) && itemOfFailedCondition(error.Item)?.['boot_id'] === item['boot_id'];
    if (!ours) throw error;
  }
}

function scopesAfterRefusal(
  scopes: Scope[],
  failed: ({ item: Record<string, unknown> | undefined } | undefined)[],
  request: HoldRequest,
): Scope[] {
  return scopes
    .map((scope, index) => {
      const refused = failed[index];
      return refused ? freshScope(scope, storedCounter(refused.item), request) : scope;
    })
    .filter((scope) => isLimited(scope.limits));
}

/** Fails closed: a limited scope whose counter cannot be read lets nothing pass. */
function storedCounter(item: Item | undefined): Counter {
  if (!item) throw new Error('A limited scope has no counter');
  return counterFrom(item);
}

/** The scope with the counter's current limits, when those changed; else it is really without room. */
function freshScope(scope: Scope, counter: Counter, request: HoldRequest): Scope {
  if (!counter.active) throw unauthenticated('This key was switched off. Use another key.');
  if (counter.revision === scope.revision) throw refusal(scope, counter, request);
  const fresh = { ...scope, limits: counter.limits, revision: counter.revision };
  // A window that nothing was counted in passes any condition: what exceeds the limit by itself is refused here.
  if (exceedsSomeLimit(fresh, request.amount)) throw refusal(fresh, counter, request);
  return fresh;
}

function refresh(scopes: Scope[], stale: Scope, counter: Counter): Scope[] {
  return scopes
    .map((scope) => (scope === stale ? { ...scope, limits: counter.limits, revision: counter.revision } : scope))
    .filter((scope) => isLimited(scope.limits));
}

function refusal(scope: Scope, counter: Counter, request: HoldRequest): Error {
  const { createdAtMs } = request.generation;
  return spendingRefusal(scope, counter, windowsAt(createdAtMs), {
    amount: request.amount,
    atMs: createdAtMs,
    affordableTokens: request.affordableTokens,
  });
}

/** A limit of 0 blocks even a request that costs nothing. */
function exceedsSomeLimit(scope: Scope, amount: Money): boolean {
  return Object.values(scope.limits).some((limit) => limit.isZero || amount.exceeds(limit));
}
