import { notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  accountEntryPut,
  accountNameUpdate,
  accountPrivacyUpdate,
  accountPut,
  readAccount,
  type Account,
  type AccountMode,
} from '../store/accounts.ts';
import type { Actor } from '../store/audit.ts';
import { configureUpdate } from '../store/counters.ts';
import { noPrivacyLimits, privacyAttribute, type PrivacyChange } from '../store/privacy.ts';
import type { Table } from '../store/table.ts';
import { commitChange, retryOnConflict, type ChangeContext } from './change.ts';
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
    privacy: noPrivacyLimits,
  });
  const account: Account = {
    id,
    name: input.name,
    mode: input.mode,
    limits: input.mode === 'prepaid' ? { lifetime: Money.zero } : {},
    revision: 0,
    privacy: noPrivacyLimits,
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

/** Gives the account another name; nothing else goes by it. @throws {GatewayError} 404 */
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

/** Changes which providers may see anything of the account. @throws {GatewayError} 404 */
export async function setAccountPrivacy(context: ChangeContext, change: PrivacyChange | null): Promise<Account> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
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

/** @throws {GatewayError} 404 */
export async function requireAccount(table: Table, accountId: string): Promise<Account> {
  const account = await readAccount(table, accountId);
  if (!account) throw notFound(`There is no account "${accountId}".`);
  return account;
}
