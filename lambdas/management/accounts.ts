import { nowMs } from '../platform/clock.ts';
import { conflict, GatewayError, notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import type { Interval } from '../money/periods.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  accountEntryPut,
  accountLimitsUpdate,
  accountNameUpdate,
  accountPrivacyUpdate,
  accountPut,
  accountStatusUpdate,
  recordsSpreadUpdate,
  readAccount,
  type Account,
  type AccountMode,
  type AccountStatus,
} from '../store/accounts/accounts.ts';
import type { Actor } from '../store/accounts/audit.ts';
import { limitWrites } from '../store/counters/counter-parts.ts';
import { activeUpdate, configureUpdate, readCounter } from '../store/counters/counters.ts';
import { gatherGranted } from '../store/counters/limited-parts.ts';
import { limitsAttribute } from '../store/counters/limits.ts';
import { noPrivacyLimits, privacyAttribute, type PrivacyChange } from '../store/accounts/privacy.ts';
import type { Table } from '../store/table/table.ts';
import { checkAlertsOf, commitChange, retryOnConflict, type ChangeContext } from './change.ts';
import { changedPrivacy } from './privacy.ts';
import { newWorkspace, workspaceWrites } from './workspaces.ts';

/** Creates an account with its Default workspace, in one transaction. */
export async function createAccount(
  table: Table,
  actor: Actor,
  input: { name: string; mode: AccountMode },
): Promise<Account> {
  const id = uuidv7();
  const workspace = newWorkspace({
    accountId: id,
    name: 'Default',
    slug: 'default',
    isDefault: true,
    privacy: noPrivacyLimits,
  });
  const account: Account = {
    id,
    name: input.name,
    mode: input.mode,
    status: undefined,
    limits: input.mode === 'prepaid' ? { lifetime: Money.zero } : {},
    revision: 0,
    privacy: noPrivacyLimits,
    defaultWorkspaceId: workspace.id,
    createdAt: workspace.createdAt,
    recordsSpreadSince: undefined,
  };
  await commitChange(
    { table, accountId: id, actor },
    { action: 'account.create', target: `account ${id}`, after: { name: account.name, mode: account.mode } },
    {
      account: accountPut(table, account),
      entry: accountEntryPut(table, account),
      counter: configureUpdate(table, { kind: 'account', id }, { limits: account.limits, revision: 0, active: true }),
      ...workspaceWrites(table, workspace),
    },
  );
  return account;
}

/**
 * Renames the account.
 * @throws {GatewayError} 404 if the account does not exist; 409 if other changes keep interfering
 */
export async function renameAccount(context: ChangeContext, name: string): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    if (account.name === name) return account;
    const outcome = await commitChange(
      context,
      { action: 'account.rename', target: `account ${accountId}`, before: { name: account.name }, after: { name } },
      { account: accountNameUpdate(table, account, name) },
    );
    return outcome.committed ? { ...account, name } : undefined;
  });
}

/**
 * Changes the settings that decide which providers may receive the account's data.
 * @throws {GatewayError} 400 for an unknown provider; 404 if the account does not exist; 409 if other changes keep
 *   interfering
 */
export async function setAccountPrivacy(context: ChangeContext, change: PrivacyChange | null): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    const privacy = await changedPrivacy(context, account.privacy, change);
    if (privacy === account.privacy) return account;
    const outcome = await commitChange(
      context,
      {
        action: 'account.privacy',
        target: `account ${accountId}`,
        before: privacyAttribute(account.privacy),
        after: privacyAttribute(privacy),
      },
      { account: accountPrivacyUpdate(table, account, privacy) },
    );
    return outcome.committed ? { ...account, privacy } : undefined;
  });
}

/**
 * Spreads the records of an account's future requests over many partitions per day, for more than a few hundred
 * requests per second. The change cannot be undone.
 * @throws {GatewayError} 404 if the account does not exist; 409 if other changes keep interfering
 */
export async function spreadRecords(context: ChangeContext): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    if (account.recordsSpreadSince !== undefined) return account;
    const since = new Date(nowMs()).toISOString();
    const outcome = await commitChange(
      context,
      { action: 'account.spread_records', target: `account ${accountId}`, after: { records_spread_since: since } },
      { account: recordsSpreadUpdate(table, account, since) },
    );
    return outcome.committed ? { ...account, recordsSpreadSince: since } : undefined;
  });
}

/**
 * Suspends an account, closes it, or resumes it. Within five seconds, new requests of a suspended account can no longer
 * spend. A running answer whose hold counts against a limit of the account ends at its next hold step. Callers must
 * update the account's keys afterwards (stopped-keys.ts).
 * @param change.reason reason in the audit log
 * @throws {GatewayError} 404 if the account does not exist; 409 if an account to be closed has remaining money or
 *   running requests, or if other changes keep interfering
 */
export async function setAccountStatus(
  context: ChangeContext,
  { status, reason }: { status: AccountStatus; reason: string },
): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    const before = account.status ?? 'active';
    if (before === status) return account;
    if (status === 'closed') await checkSettledUp(table, account);
    if (status !== 'active') await gatherGranted(table, { kind: 'account', id: accountId });
    const outcome = await commitChange(
      context,
      {
        action: `account.${status}`,
        target: `account ${accountId}`,
        before: { status: before },
        after: { status, reason },
      },
      {
        account: accountStatusUpdate(table, account, status),
        counter: activeUpdate(table, { kind: 'account', id: accountId }, status === 'active'),
      },
    );
    return outcome.committed ? { ...account, status } : undefined;
  });
}

async function checkSettledUp(table: Table, { id, mode }: Account): Promise<void> {
  const counter = await readCounter(table, { kind: 'account', id });
  const [spent, committed] = [counter.spent('lifetime'), counter.committed('lifetime')];
  if (!committed.equals(spent)) {
    throw conflict(
      `Requests in flight hold ${committed.minus(spent)} RUB. Suspend the account, and close it when these requests have ended.`,
    );
  }
  const left = (counter.limits.lifetime ?? Money.zero).minus(spent);
  if (mode === 'prepaid' && !left.isZero) {
    throw conflict(
      `${left} RUB of the account are not spent. Refund them with "accounts refund", then close the account.`,
    );
  }
}

/**
 * Period of a credit limit. `lifetime` is excluded, because the account would reach such a limit even if it pays
 * regularly.
 */
export type CreditPeriod = Exclude<Interval, 'lifetime'>;

/**
 * Sets a postpaid account's limit for a period; null removes it.
 * @throws {GatewayError} 404 if the account does not exist; 400 for a prepaid account, whose limit is its balance; 409
 *   if other changes keep interfering
 */
export async function setCreditLimit(
  context: ChangeContext,
  { period, limit }: { period: CreditPeriod; limit: Money | null },
): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const account = await requireAccount(table, accountId);
    if (account.mode !== 'postpaid') {
      throw new GatewayError(
        'invalid_request',
        'This account is prepaid, so its balance is its limit. Use "accounts top-up".',
      );
    }
    const { [period]: _, ...others } = account.limits;
    const limits = limit ? { ...others, [period]: limit } : others;
    const revision = account.revision + 1;
    const outcome = await commitChange(
      context,
      {
        action: 'account.credit_limit',
        target: `account ${accountId}`,
        before: limitsAttribute(account.limits),
        after: limitsAttribute(limits),
      },
      {
        account: accountLimitsUpdate(table, account, limits),
        ...(await limitWrites(table, { kind: 'account', id: accountId }, { limits, revision })),
      },
    );
    if (!outcome.committed) return undefined;
    await checkAlertsOf(context, 'account');
    return { ...account, limits, revision };
  });
}

/**
 * Reads an account.
 * @throws {GatewayError} 404 if the account does not exist
 */
export async function requireAccount(table: Table, accountId: string): Promise<Account> {
  const account = await readAccount(table, accountId);
  if (!account) throw notFound(`There is no account "${accountId}".`);
  return account;
}
