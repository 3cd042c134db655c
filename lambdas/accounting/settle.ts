/**
 * Settlement makes a pending generation final, and adds its cost to every counter of its payer.
 *
 * Guarantee: exactly once. The transaction that changes the counters requires that the generation changes from pending
 * to final. If the sweep had to estimate a generation, the real message corrects the estimate once, by the difference.
 */

import { toGatewayError } from '../platform/errors.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { ScopeId } from '../store/counters/counters.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError } from '../store/table/transact.ts';
import { counterName, giveParts, mayGetParts } from './busy-counters.ts';
import { isModelItemOf } from './model-sums.ts';
import { alikeScopes, settleGroup, transactionsOf, writesOf, type SettleResult } from './settle-group.ts';
import type { Settlement } from './settlement.ts';

/** Thrown if no time was left to start a settlement. */
class OutOfTimeError extends Error {
  override name = 'OutOfTimeError';
}

/** Returns whether a settlement that failed with this error may succeed a moment later. */
export function isPassingFailure(error: unknown): boolean {
  return error instanceof OutOfTimeError || toGatewayError(error).kind !== 'server';
}

export interface SettleOptions {
  /** Whether the settlement is an estimate of the sweep, which a later message may correct. */
  swept: boolean;
  /** Time of performance.now() after which no further transaction is started. */
  deadlineMs?: number;
}

interface Round extends SettleOptions {
  /** Whether to wait for busy items. At first, busy counters can be split into parts instead. */
  isPatient?: boolean;
}

/**
 * Maximum number of attempts for a transaction with several accounts. Afterwards, a busy account is settled separately.
 */
const ATTEMPTS_FOR_SEVERAL_ACCOUNTS = 5;
/** Number of attempts at busy counters before they are split into parts. */
const ATTEMPTS_BEFORE_PARTS = 3;

/**
 * Settles a batch. Never throws: settlements that fail are removed from their transaction.
 * @returns for each settlement, in order, its result, or the error for which it was not settled
 */
export async function settleBatch(
  table: Table,
  settlements: Settlement[],
  options: SettleOptions,
): Promise<(SettleResult | Error)[]> {
  const unique = new Map<string, Settlement>();
  const results = new Map<string, SettleResult | Error>();
  for (const settlement of settlements) {
    const { generationId } = settlement;
    if (unique.has(generationId)) continue;
    unique.set(generationId, settlement);
    if (generationTimeMs(generationId) === undefined) results.set(generationId, new RangeError('not a generation id'));
  }
  const sound = [...unique.values()].filter(({ generationId }) => !results.has(generationId));
  for (const group of transactionsOf(sound)) await settleOrSplit(table, group, options, results);
  // If the first copy of a message fails, the second fails too, so that the queue delivers both again.
  return settlements.map((settlement) => {
    const result = results.get(settlement.generationId)!;
    return unique.get(settlement.generationId) === settlement || result instanceof Error ? result : 'duplicate';
  });
}

async function settleOrSplit(
  table: Table,
  group: Settlement[],
  options: Round,
  results: Map<string, SettleResult | Error>,
): Promise<void> {
  const giveUp = (error: Error) => {
    for (const { generationId } of group) results.set(generationId, error);
  };
  if (performance.now() >= (options.deadlineMs ?? Infinity))
    return giveUp(new OutOfTimeError('The time for this settlement is over'));
  const accounts = grouped(group, ({ payer }) => payer.accountId);
  const mayWait = options.isPatient === true || !alikeScopes(group).some(({ scope }) => mayGetParts(scope));
  try {
    const attempts = mayWait ? attemptsAmong(accounts) : ATTEMPTS_BEFORE_PARTS;
    const settled = await settleGroup(table, group, { swept: options.swept, attempts });
    for (const [generationId, result] of settled) results.set(generationId, result);
  } catch (error) {
    if (error instanceof StoreBusyError && !mayWait) {
      await giveBusyParts(table, group, error);
      return settleOrSplit(table, group, { ...options, isPatient: true }, results);
    }
    const parts = partsAfter(error, group, accounts);
    if (!parts) return giveUp(error as Error);
    const settlePart = (part: Settlement[]) => settleOrSplit(table, part, options, results);
    // Accounts share no counters except budgets of free models, so they can be settled concurrently.
    if (parts === accounts) await Promise.all(parts.map(settlePart));
    else for (const part of parts) await settlePart(part);
  }
}

function attemptsAmong(accounts: Settlement[][]): number | undefined {
  return accounts.length > 1 ? ATTEMPTS_FOR_SEVERAL_ACCOUNTS : undefined;
}

/** Splits each busy counter of a failed batch into parts, or finds the parts that holds have created. */
async function giveBusyParts(table: Table, group: Settlement[], { conflicting }: StoreBusyError): Promise<void> {
  const isBusy = (scope: ScopeId) =>
    conflicting.includes(counterName(scope)) ||
    (scope.kind === 'account' && conflicting.some((name) => isModelItemOf(scope.id, name)));
  const busy = alikeScopes(group).filter(({ scope }) => isBusy(scope) && mayGetParts(scope));
  await Promise.allSettled(busy.map(({ scope }) => giveParts(table, scope)));
}

/** Splits a batch that failed as a whole into smaller batches. Returns undefined if a split does not help. */
function partsAfter(error: unknown, group: Settlement[], accounts: Settlement[][]): Settlement[][] | undefined {
  if (!(error instanceof StoreBusyError)) return halves(group);
  if (error.conflicting.length > 0) return withoutBusy(group, accounts, error.conflicting);
  return accounts.length > 1 ? accounts : undefined;
}

/**
 * Separates the settlements that write a conflicting item from all other settlements. Ignores an item that all
 * settlements write, because splitting would not avoid this conflict.
 */
function withoutBusy(
  group: Settlement[],
  accounts: Settlement[][],
  conflicting: readonly string[],
): Settlement[][] | undefined {
  const writes = new Map(group.map((settlement) => [settlement, new Set(writesOf(settlement))]));
  const own = conflicting.filter((name) => ![...writes.values()].every((names) => names.has(name)));
  const busy = group.filter((settlement) => own.some((name) => writes.get(settlement)!.has(name)));
  const others = group.filter((settlement) => !busy.includes(settlement));
  if (busy.length === 0) return undefined;
  if (others.length > 0) return [others, busy];
  return accounts.length > 1 ? accounts : undefined;
}

/** Halves a group that DynamoDB rejected for a reason other than a busy table. */
function halves(group: Settlement[]): Settlement[][] | undefined {
  const middle = Math.ceil(group.length / 2);
  return group.length < 2 ? undefined : [group.slice(0, middle), group.slice(middle)];
}

function grouped(group: Settlement[], nameOf: (settlement: Settlement) => string): Settlement[][] {
  return [...Map.groupBy(group, nameOf).values()];
}
