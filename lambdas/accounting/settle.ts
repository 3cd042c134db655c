/**
 * Settlement: a pending generation becomes final, and its cost is added to every counter of its payer. A batch takes as
 * few transactions as possible: one, when nothing in it was settled before.
 *
 * Guarantee: exactly once. The generation's step from pending to final is the condition of the transaction that moves
 * the counters, so a message that is delivered twice, late or out of order moves them once. A generation that the sweeper
 * had to estimate is corrected once, by the difference, when its real message arrives.
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

/** There was no time left to begin it; it is delivered again. */
class OutOfTimeError extends Error {
  override name = 'OutOfTimeError';
}

/** The same settlement may succeed a moment later, without anybody doing anything: the table was busy, or time was short. */
export function isPassingFailure(error: unknown): boolean {
  return error instanceof OutOfTimeError || toGatewayError(error).kind !== 'server';
}

export interface SettleOptions {
  /** Settled by the sweeper, from an estimate that a later message may correct. */
  swept: boolean;
  /** When nothing more may be begun, in the time of performance.now(). */
  deadlineMs?: number;
}

interface Round extends SettleOptions {
  /** Whether what is busy is waited for: it is not before busy counters have got parts. */
  isPatient?: boolean;
}

/** In a transaction with other accounts, a busy counter gets fewer attempts: its account is taken out first. */
const ATTEMPTS_IN_COMPANY = 5;
/** So often a busy counter is tried that may get parts: they make an end of waiting. */
const ATTEMPTS_BEFORE_PARTS = 3;

/**
 * Settles a batch. Never throws: what cannot be settled is taken out of its transaction.
 * @returns per settlement, in order, its result, or the error that only concerns this one
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
  // A second copy in the same batch is a duplicate of the first, and shares its failure: it must be delivered again as well.
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
  if (performance.now() >= (options.deadlineMs ?? Infinity)) return giveUp(new OutOfTimeError('No time was left'));
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
    // Accounts have no counters in common.
    if (parts === accounts) await Promise.all(parts.map(settlePart));
    else for (const part of parts) await settlePart(part);
  }
}

function attemptsAmong(accounts: Settlement[][]): number | undefined {
  return accounts.length > 1 ? ATTEMPTS_IN_COMPANY : undefined;
}

/** Gives parts to the counters that a batch has met others at, or finds those that holds have made. A failure costs nothing but time. */
async function giveBusyParts(table: Table, group: Settlement[], { conflicting }: StoreBusyError): Promise<void> {
  const isBusy = (scope: ScopeId) =>
    conflicting.includes(counterName(scope)) ||
    (scope.kind === 'account' && conflicting.some((name) => isModelItemOf(scope.id, name)));
  const busy = alikeScopes(group).filter(({ scope }) => isBusy(scope) && mayGetParts(scope));
  await Promise.allSettled(busy.map(({ scope }) => giveParts(table, scope)));
}

/** How a batch that failed as a whole goes on; undefined where a division helps nobody. */
function partsAfter(error: unknown, group: Settlement[], accounts: Settlement[][]): Settlement[][] | undefined {
  if (!(error instanceof StoreBusyError)) return halves(group);
  if (error.conflicting.length > 0) return withoutBusy(group, accounts, error.conflicting);
  return accounts.length > 1 ? accounts : undefined;
}

/**
 * Takes out of a busy batch what was busy by itself. A counter that all of them add to stays busy however they are divided:
 * several transactions would contend where one did.
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

/** A group that DynamoDB refuses for another reason than being busy is halved until the settlement at fault stands alone. */
function halves(group: Settlement[]): Settlement[][] | undefined {
  const middle = Math.ceil(group.length / 2);
  return group.length < 2 ? undefined : [group.slice(0, middle), group.slice(middle)];
}

function grouped(group: Settlement[], nameOf: (settlement: Settlement) => string): Settlement[][] {
  return [...Map.groupBy(group, nameOf).values()];
}
