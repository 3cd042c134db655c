import { randomUUID } from 'node:crypto';
import { GatewayError, notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  accountEntryPut,
  accountLimitsUpdate,
  accountPrivacyUpdate,
  accountPut,
  readAccount,
  topUpPut,
  type Account,
  type AccountMode,
} from '../store/accounts.ts';
import type { Actor } from '../store/audit.ts';
import { configureUpdate } from '../store/counters.ts';
import { limitsAttribute } from '../store/limits.ts';
import { openPrivacy, privacyAttribute, type PrivacyChange } from '../store/privacy.ts';
import type { Table } from '../store/table.ts';
import { commitChange, untilUndisturbed, type ChangeContext } from './change.ts';
import { changedPrivacy } from './privacy.ts';
import { newWorkspace, workspaceWrites } from './workspaces.ts';

/** Creates an account with its Default workspace, in one transaction. A prepaid account starts with nothing to spend. */
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
    privacy: openPrivacy,
  });
  const account: Account = {
    id,
    name: input.name,
    mode: input.mode,
    limits: input.mode === 'prepaid' ? { lifetime: Money.zero } : {},
    revision: 0,
    privacy: openPrivacy,
    defaultWorkspaceId: workspace.id,
    createdAt: workspace.createdAt,
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

/** Changes which providers may see anything of the account. @throws {GatewayError} 404 */
export async function setAccountPrivacy(context: ChangeContext, change: PrivacyChange | null): Promise<Account> {
  const { table, accountId } = context;
  return untilUndisturbed(async () => {
    const account = await requireAccount(table, accountId);
    const privacy = changedPrivacy(context, account.privacy, change);
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

async function requireAccount(table: Table, accountId: string): Promise<Account> {
  const account = await readAccount(table, accountId);
  if (!account) throw notFound(`There is no account "${accountId}".`);
  return account;
}

/**
 * Adds money to a prepaid account. The sum of its top-ups is its lifetime limit, so a hold can never pass the balance.
 * @throws {GatewayError} 404 for an unknown account, 400 for a postpaid one.
 */
export async function topUp(
  context: ChangeContext,
  input: { amount: Money; note?: string | undefined },
): Promise<{ id: string; account: Account }> {
  const { table, accountId } = context;
  const id = randomUUID();
  const createdAt = new Date(nowMs()).toISOString();
  return untilUndisturbed(async () => {
    const account = await requireAccount(table, accountId);
    if (account.mode !== 'prepaid') {
      throw new GatewayError('invalid_request', 'This account is postpaid: it has no balance to top up.');
    }
    const limits = { lifetime: (account.limits.lifetime ?? Money.zero).plus(input.amount) };
    const revision = account.revision + 1;
    const outcome = await commitChange(
      context,
      {
        action: 'account.top_up',
        target: `account ${accountId}`,
        before: limitsAttribute(account.limits),
        after: limitsAttribute(limits),
      },
      {
        topUp: topUpPut(table, accountId, { id, amount: input.amount, note: input.note, createdAt }),
        account: accountLimitsUpdate(table, account, limits),
        counter: configureUpdate(table, { kind: 'account', id: accountId }, { limits, revision }),
      },
    );
    // The top-up's own item exists already: this repeats a write whose reply was lost. Otherwise another top-up got
    // there first: the new sum is read, and added to.
    return outcome.committed || outcome.failed.topUp ? { id, account: { ...account, limits, revision } } : undefined;
  });
}
