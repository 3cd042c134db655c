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
  /**
   * Returns the ids of all providers. Privacy settings can name only these providers. If the function is absent,
   * settings can name no provider.
   */
  providerIds?: () => Promise<readonly string[]>;
  /** Checks alerts, or requests the check. If the function is absent, the next settlement finds crossed thresholds. */
  checkAlerts?: (check: AlertCheck) => Promise<void>;
}

/** Returns the context of changes over HTTP, made with a management key. */
export function changesOf(table: Table, { key, account }: Caller, requestId: string): ChangeContext {
  const actor: Actor = { kind: 'management_key', id: key.hash, label: key.label };
  return { table, accountId: account.id, actor, requestId };
}

/**
 * Checks alerts after the limits of a scope were changed, because a lower limit may already be spent. Never throws: the
 * change is made, and if the check fails, the next settlement finds the crossing.
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

/** A change as the audit log stores it. */
export interface AuditedChange {
  action: string;
  target: string;
  before?: Item | undefined;
  after?: Item | undefined;
}

/**
 * Returns an additional write for the transaction of a change, for example to store the response. `made` is the result
 * of the change.
 */
export type ExtraWrite<Made> = (made: Made) => Write | undefined;

/** Default `ExtraWrite`, for a change without an additional write. */
export const noExtraWrite = (): undefined => undefined;

/**
 * Maximum number of attempts at the transaction of a change. A change that disables a runaway key or lowers a budget
 * conflicts with the holds of the same scope, and must still succeed. The attempts take about five seconds, less than a
 * function's fifteen.
 */
const ATTEMPTS = 30;

/**
 * Writes a change and its audit entry in one transaction.
 *
 * Guarantee: a failed condition is never reported for a change that was made. If a condition fails after an earlier
 * attempt got no reply, the audit entry shows whether the earlier attempt made the change.
 * @returns the outcome of the transaction, with the names in `writes`
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

/** Maximum number of rounds (read, check, write) of a change, if other changes interfere. */
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
 * Checks the version of a resource.
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
