import { randomUUID } from 'node:crypto';
import { GatewayError, notFound } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { nowMs } from '../platform/clock.ts';
import { uuidv7 } from '../platform/ids.ts';
import { accountItem, accountKey, readAccount, topUpPut, type Account, type AccountMode } from '../store/accounts.ts';
import { configureUpdate } from '../store/counters.ts';
import { limitsAttribute } from '../store/limits.ts';
import { moneyAttribute, type Table } from '../store/table.ts';
import { transact } from '../store/transact.ts';
import { newWorkspace, workspacePuts } from './workspaces.ts';

/** Creates an account with its Default workspace, in one transaction. A prepaid account starts with nothing to spend. */
export async function createAccount(table: Table, input: { name: string; mode: AccountMode }): Promise<Account> {
  const id = uuidv7();
  const createdAt = new Date(nowMs()).toISOString();
  const workspace = newWorkspace({
    accountId: id,
    name: 'Default',
    slug: 'default',
    description: '',
    isDefault: true,
    createdAt,
  });
  const account: Account = {
    id,
    name: input.name,
    mode: input.mode,
    limits: input.mode === 'prepaid' ? { lifetime: Money.zero } : {},
    revision: 0,
    defaultWorkspaceId: workspace.id,
    createdAt,
  };
  const scope = { kind: 'account', id } as const;
  await transact(table, [
    {
      Put: { TableName: table.name, Item: accountItem(account), ConditionExpression: 'attribute_not_exists(pk)' },
    },
    { Update: configureUpdate(table, scope, { limits: account.limits, revision: 0, active: true }) },
    ...workspacePuts(table, workspace),
  ]);
  return account;
}

/**
 * Adds money to a prepaid account. The sum of its top-ups is its lifetime limit, so a hold can never pass the balance.
 * @throws {GatewayError} 404 for an unknown account, 400 for a postpaid one.
 */
export async function topUp(
  table: Table,
  input: { accountId: string; amount: Money; note?: string | undefined },
): Promise<{ id: string; account: Account }> {
  const id = randomUUID();
  const createdAt = new Date(nowMs()).toISOString();
  for (;;) {
    const account = await readAccount(table, input.accountId);
    if (!account) throw notFound(`There is no account "${input.accountId}".`);
    if (account.mode !== 'prepaid') {
      throw new GatewayError(400, 'invalid_request', 'This account is postpaid: it has no balance to top up.');
    }
    const limits = { lifetime: (account.limits.lifetime ?? Money.zero).plus(input.amount) };
    const revision = account.revision + 1;
    const outcome = await transact(table, [
      topUpPut(table, {
        accountId: account.id,
        id,
        amount: moneyAttribute(input.amount),
        note: input.note,
        createdAt,
      }),
      {
        Update: {
          TableName: table.name,
          Key: accountKey(account.id),
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
      { Update: configureUpdate(table, { kind: 'account', id: account.id }, { limits, revision }) },
    ]);
    // Somebody else topped up in between: read the new sum and add to that.
    if (outcome.committed || outcome.failed[0]) return { id, account: { ...account, limits, revision } };
  }
}
