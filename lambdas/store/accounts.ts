import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { queryOwned } from './query.ts';
import { indexes, numberFrom, type Item, type Table } from './table.ts';
import type { TransactItems } from './transact.ts';

/** Postpaid accounts are billed afterwards; a prepaid one spends its top-ups, counted as a lifetime limit. */
export const accountModes = ['postpaid', 'prepaid'] as const;
export type AccountMode = (typeof accountModes)[number];

export interface Account {
  id: string;
  name: string;
  mode: AccountMode;
  /** For a prepaid account: {lifetime: sum of its top-ups}. */
  limits: Limits;
  revision: number;
  defaultWorkspaceId: string;
  createdAt: string;
}

const OWNER = 'ACCOUNTS';

export function accountKey(accountId: string): { pk: string; sk: string } {
  return { pk: `ACCOUNT#${accountId}`, sk: 'ACCOUNT' };
}

export function accountItem(account: Account): Item {
  return {
    ...accountKey(account.id),
    [indexes.byOwner.partition]: OWNER,
    [indexes.byOwner.sort]: `${account.createdAt}#${account.id}`,
    entity: 'account',
    id: account.id,
    name: account.name,
    mode: account.mode,
    limits: limitsAttribute(account.limits),
    revision: account.revision,
    default_workspace_id: account.defaultWorkspaceId,
    created_at: account.createdAt,
  };
}

export function accountFrom(item: Item): Account {
  return {
    id: item['id'] as string,
    name: item['name'] as string,
    mode: item['mode'] as AccountMode,
    limits: limitsFrom(item['limits']),
    revision: numberFrom(item['revision']),
    defaultWorkspaceId: item['default_workspace_id'] as string,
    createdAt: item['created_at'] as string,
  };
}

export async function readAccount(table: Table, accountId: string): Promise<Account | undefined> {
  const answer = await table.documents.send(
    new GetCommand({ TableName: table.name, Key: accountKey(accountId), ConsistentRead: true }),
  );
  return answer.Item && accountFrom(answer.Item);
}

/** Every account of the deployment, oldest first. */
export async function listAccounts(table: Table): Promise<Account[]> {
  const accounts: Account[] = [];
  for await (const entry of queryOwned(table, OWNER)) {
    const account = await readAccount(table, (entry['pk'] as string).slice('ACCOUNT#'.length));
    if (account) accounts.push(account);
  }
  return accounts;
}

/** Puts a top-up's ledger entry; the sum itself is the account's lifetime limit. */
export function topUpPut(
  table: Table,
  topUp: { accountId: string; id: string; amount: unknown; note: string | undefined; createdAt: string },
): TransactItems[number] {
  return {
    Put: {
      TableName: table.name,
      Item: {
        pk: `ACCOUNT#${topUp.accountId}`,
        sk: `TOPUP#${topUp.id}`,
        entity: 'top_up',
        id: topUp.id,
        amount_rub: topUp.amount,
        note: topUp.note,
        created_at: topUp.createdAt,
      },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}
