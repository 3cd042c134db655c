import { randomUUID } from 'node:crypto';
import { GatewayError, notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import {
  accountEntryPut,
  accountItem,
  accountKey,
  readAccount,
  topUpPut,
  type Account,
  type AccountMode,
} from '../store/accounts.ts';
import type { Actor } from '../store/audit.ts';
import { configureUpdate } from '../store/counters.ts';
import { limitsAttribute } from '../store/limits.ts';
import { changePrivacy, openPrivacy, privacyAttribute, type PrivacyChange } from '../store/privacy.ts';
import { moneyAttribute, type Table } from '../store/table.ts';
import { commitChange, untilUndisturbed, type ChangeContext } from './change.ts';
import { newWorkspace, workspacePuts } from './workspaces.ts';

/** Creates an account with its Default workspace, in one transaction. A prepaid account starts with nothing to spend. */
export async function createAccount(
  table: Table,
  actor: Actor,
  input: { name: string; mode: AccountMode },
): Promise<Account> {
  const id = uuidv7();
  const workspace = newWorkspace({ accountId: id, name: 'Default', slug: 'default', isDefault: true });
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
  const scope = { kind: 'account', id } as const;
  await commitChange(
    { table, accountId: id, actor },
    { action: 'account.create', target: `account ${id}`, after: { name: account.name, mode: account.mode } },
    [
      { Put: { TableName: table.name, Item: accountItem(account), ConditionExpression: 'attribute_not_exists(pk)' } },
      accountEntryPut(table, account),
      { Update: configureUpdate(table, scope, { limits: account.limits, revision: 0, active: true }) },
      ...workspacePuts(table, workspace),
    ],
  );
  return account;
}

/** Changes which providers may see anything of the account. @throws {GatewayError} 404 */
export async function setAccountPrivacy(context: ChangeContext, change: PrivacyChange | null): Promise<Account> {
  const { table, accountId } = context;
  return untilUndisturbed(async () => {
    const account = await requireAccount(table, accountId);
    const privacy = changePrivacy(account.privacy, change);
    if (privacy === account.privacy) return account;
    const outcome = await commitChange(
      context,
      {
        action: 'account.privacy',
        target: `account ${accountId}`,
        before: privacyAttribute(account.privacy),
        after: privacyAttribute(privacy),
      },
      [
        {
          Update: {
            TableName: table.name,
            Key: accountKey(accountId),
            UpdateExpression: 'SET privacy = :privacy',
            ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(privacy) OR privacy = :before)',
            ExpressionAttributeValues: {
              ':privacy': privacyAttribute(privacy),
              ':before': privacyAttribute(account.privacy),
            },
          },
        },
      ],
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
      [
        topUpPut(table, { accountId, id, amount: moneyAttribute(input.amount), note: input.note, createdAt }),
        {
          Update: {
            TableName: table.name,
            Key: accountKey(accountId),
            UpdateExpression: 'SET #limits = :limits, #revision = :next',
            ConditionExpression: '#revision = :revision',
            ExpressionAttributeNames: { '#limits': 'limits', '#revision': 'revision' },
            ExpressionAttributeValues: {
              ':limits': limitsAttribute(limits),
              ':next': revision,
              ':revision': account.revision,
            },
          },
        },
        { Update: configureUpdate(table, { kind: 'account', id: accountId }, { limits, revision }) },
      ],
    );
    // The top-up's own item stands already: this is the repetition of a write whose reply was lost. Otherwise somebody
    // else topped up in between: the new sum is read, and added to.
    return outcome.committed || outcome.failed[0] ? { id, account: { ...account, limits, revision } } : undefined;
  });
}
