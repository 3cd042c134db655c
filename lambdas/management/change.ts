import type { Caller } from '../admission/caller.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError } from '../platform/errors.ts';
import { auditPut, isAudited, newAuditKey, type Actor } from '../store/accounts/audit.ts';
import { AlreadyAnsweredError } from '../store/accounts/idempotency.ts';
import type { Item, Table } from '../store/table/table.ts';
import { transact, type TransactOutcome, type Writes } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';

/** On whose behalf something is changed, and in which account. */
export interface ChangeContext {
  table: Table;
  accountId: string;
  actor: Actor;
  requestId?: string | undefined;
  /** Ids of all providers. Privacy settings can only name these: none, where they are not given. */
  providerIds?: () => Promise<readonly string[]>;
}

/** Changes over HTTP: on behalf of a management key. */
export function changesOf(table: Table, { key, account }: Caller, requestId: string): ChangeContext {
  const actor: Actor = { kind: 'management_key', id: key.hash, label: key.label };
  return { table, accountId: account.id, actor, requestId };
}

/** What the audit notes of a change. */
export interface AuditedChange {
  action: string;
  target: string;
  before?: Item | undefined;
  after?: Item | undefined;
}

/** A write that the caller adds to the transaction of a change, made from the result of the change. */
export type ExtraWrite<Made> = (made: Made) => Write | undefined;

/** Adds nothing. */
export const noExtraWrite = (): undefined => undefined;

/**
 * Disabling a runaway key or lowering a budget competes with the holds of that very scope, and must get through: about five
 * seconds of attempts, well within the fifteen of a function.
 */
const ATTEMPTS = 30;

/**
 * Makes a change and its audit entry in one transaction.
 *
 * Guarantee: a change that was made is told as made. Where a try before the one that was refused had no reply, the entry says whether it
 * was that try that has made it.
 * @returns the outcome for `writes`
 * @throws {AlreadyAnsweredError} when the condition of the write alongside failed.
 */
export async function commitChange<Name extends string>(
  context: ChangeContext,
  change: AuditedChange,
  writes: Writes<Name>,
  alongside?: Write,
): Promise<TransactOutcome<Name>> {
  const { table, accountId, actor, requestId } = context;
  const { action, target, before, after } = change;
  const at = new Date(nowMs()).toISOString();
  const entry = { at, actor, requestId, action, target, before, after };
  const key = newAuditKey(accountId, entry);
  const all = { ...writes, audit: auditPut(table, key, entry), alongside } as Writes<Name | 'alongside'>;
  const outcome = await transact(table, all, { attempts: ATTEMPTS });
  if (!outcome.committed && outcome.isUncertain && (await isAudited(table, key))) return { committed: true };
  if (!outcome.committed && outcome.failed.alongside) throw new AlreadyAnsweredError();
  return outcome;
}

/** How often a change is tried again because the data that it started from has changed meanwhile. */
const MAX_CHANGE_ROUNDS = 20;

/**
 * Runs a read-check-write round until it is not overtaken by another change.
 * @param round returns undefined when another request got there first
 * @throws {GatewayError} 409 after the last round
 */
export async function retryOnConflict<Result>(round: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempt = 1; attempt <= MAX_CHANGE_ROUNDS; attempt += 1) {
    const result = await round();
    if (result !== undefined) return result;
  }
  throw conflict('This was changed by others all the time. Try again.');
}

/** @param expected the version in `If-Match`; undefined when any will do. @throws {GatewayError} 412 for another one */
export function checkVersion(expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return;
  throw new GatewayError(
    'precondition_failed',
    'This was changed since you read it: If-Match names another version. Read it again, and repeat your change.',
    { metadata: { field: 'if-match' } },
  );
}
