import type { Caller } from '../admission/caller.ts';
import type { AlertCheck } from '../store/alerts/alert-check.ts';
import { utcDate } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError } from '../platform/errors.ts';
import { describeError, log } from '../platform/logger.ts';
import { auditPut, isAudited, newAuditKey, type Actor } from '../store/accounts/audit.ts';
import { AlreadyAnsweredError } from '../store/accounts/idempotency.ts';
import type { Payer } from '../store/accounts/payer.ts';
import type { ScopeKind } from '../store/counters/counters.ts';
import type { Item, Table } from '../store/table/table.ts';
import { transact, type TransactOutcome, type Writes } from '../store/table/transact.ts';
import type { Write } from '../store/table/writes.ts';

/** Account and author of a change. */
export interface ChangeContext {
  table: Table;
  accountId: string;
  actor: Actor;
  requestId?: string | undefined;
  /** Ids of the providers that privacy settings can name. Without it, settings can name no provider. */
  providerIds?: () => Promise<readonly string[]>;
  /** Checks alerts, or requests the check. Without it, the next settlement finds crossed thresholds. */
  checkAlerts?: (check: AlertCheck) => Promise<void>;
}

/** Returns the context of changes over HTTP with a management key. */
export function changesOf(table: Table, { key, account }: Caller, requestId: string): ChangeContext {
  const actor: Actor = { kind: 'management_key', id: key.hash, label: key.label };
  return { table, accountId: account.id, actor, requestId };
}

/**
 * Checks alerts after the limits of a scope were changed, because a lower limit may already be spent. Never throws: if
 * the check fails, the next settlement finds the crossing.
 * @param ids ids of the payer that the scope needs
 */
export async function checkAlertsOf(context: ChangeContext, only: ScopeKind, ids: Partial<Payer> = {}): Promise<void> {
  const payer = { accountId: context.accountId, workspaceId: '', memberId: undefined, keyHash: '', ...ids };
  await context.checkAlerts?.({ payer, date: utcDate(nowMs()), only }).catch((error: unknown) => {
    log('warn', 'alerts not checked after a change of limits', {
      accountId: context.accountId,
      ...describeError(error),
    });
  });
}

/** A change, as the audit log stores it. */
export interface AuditedChange {
  action: string;
  target: string;
  before?: Item | undefined;
  after?: Item | undefined;
}

/** Returns an additional write for the transaction of a change, for example to store the response. */
export type ExtraWrite<Made> = (made: Made) => Write | undefined;

/** Returns no write, for a change without an additional write. */
export const noExtraWrite = (): undefined => undefined;

/**
 * Maximum number of attempts at the transaction of a change. A change that disables a runaway key conflicts with the
 * holds of its scope, and must still succeed.
 */
const ATTEMPTS = 30;

/**
 * Writes a change and its audit entry in one transaction.
 *
 * Guarantee: a failed condition is never reported for a change that was made. After an attempt without a reply, the
 * audit entry shows whether it made the change.
 * @throws {AlreadyAnsweredError} if the condition of `alongside` failed
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

/** Maximum number of rounds (read, check, write) of a change. */
const MAX_CHANGE_ROUNDS = 20;

/**
 * Repeats a round (read, check, write) until no other change interferes.
 * @param round returns undefined if another request was faster
 * @throws {GatewayError} 409 after the last round
 */
export async function retryOnConflict<Result>(round: () => Promise<Result | undefined>): Promise<Result> {
  for (let attempt = 1; attempt <= MAX_CHANGE_ROUNDS; attempt += 1) {
    const result = await round();
    if (result !== undefined) return result;
  }
  throw conflict('Concurrent requests kept changing this resource. Try again.');
}

/**
 * Checks that a resource still has the version that the client has read.
 * @param expected the version in `If-Match`; undefined accepts any version
 * @throws {GatewayError} 412 for another version
 */
export function checkVersion(expected: number | undefined, current: number): void {
  if (expected === undefined || expected === current) return;
  throw new GatewayError(
    'precondition_failed',
    'This resource was changed since you read it: If-Match has an older version. Read it again, and repeat your change.',
    { metadata: { field: 'if-match' } },
  );
}
