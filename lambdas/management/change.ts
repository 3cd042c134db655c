import type { Caller } from '../admission/caller.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError } from '../platform/errors.ts';
import { auditPut, type Actor } from '../store/audit.ts';
import { AlreadyAnsweredError } from '../store/idempotency.ts';
import type { Item, Table } from '../store/table.ts';
import { transact, type TransactItems, type TransactOutcome } from '../store/transact.ts';

/** On whose behalf something is changed, and in which account. */
export interface ChangeContext {
  table: Table;
  accountId: string;
  actor: Actor;
  requestId?: string | undefined;
}

/** Changes over HTTP: on behalf of a management key. */
export function changesOf(table: Table, caller: Caller, requestId: string): ChangeContext {
  const { key, account } = caller;
  const actor: Actor = { kind: 'management_key', id: key.hash, label: key.label };
  return { table, accountId: account.id, actor, requestId };
}

/** What the audit notes of a change. */
export interface Change {
  action: string;
  target: string;
  before?: Item | undefined;
  after?: Item | undefined;
}

/** Items that go into the transaction of a change because its caller asks for it; made from what came of it. */
export type Alongside<Made> = (made: Made) => TransactItems;

/**
 * Whoever disables a runaway key or lowers a budget competes with the holds of that very scope, and must get through: some
 * five seconds of attempts, well within the fifteen of a function.
 */
const ATTEMPTS = 30;

/**
 * Makes a change and its audit entry in one transaction.
 * @returns the outcome for `items`
 * @throws {AlreadyAnsweredError} when the condition of an item of `alongside` failed.
 */
export async function commitChange(
  context: ChangeContext,
  change: Change,
  items: TransactItems,
  alongside: TransactItems = [],
): Promise<TransactOutcome> {
  const { table, accountId, actor, requestId } = context;
  const audit = auditPut(table, accountId, {
    at: new Date(nowMs()).toISOString(),
    actor,
    requestId,
    action: change.action,
    target: change.target,
    before: change.before,
    after: change.after,
  });
  const outcome = await transact(table, [...items, audit, ...alongside], { attempts: ATTEMPTS });
  if (outcome.committed) return outcome;
  if (outcome.failed.slice(items.length + 1).some((failure) => failure)) throw new AlreadyAnsweredError();
  return { committed: false, failed: outcome.failed.slice(0, items.length) };
}

/** How often a change is tried again because what it started from has changed meanwhile. */
const MAX_ROUNDS = 20;

/**
 * Runs a read-check-write round until it is not overtaken by another change.
 * @param round returns undefined when somebody else was quicker
 */
export async function untilUndisturbed<Result>(round: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempt = 1; attempt <= MAX_ROUNDS; attempt += 1) {
    const result = await round();
    if (result !== undefined) return result;
  }
  throw conflict('This was changed by others all the time. Try again.');
}

/** `If-Match`: the version that the client has seen; undefined when it does not care. */
export function checkVersion(expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return;
  throw new GatewayError(
    'precondition_failed',
    'This was changed since you read it: If-Match names another version. Read it again, and repeat your change.',
    { metadata: { field: 'if-match' } },
  );
}
