import { limitsAttribute, limitsFrom, type Limits } from './limits.ts';
import { privacyAttribute, privacyFrom, type Privacy } from './privacy.ts';
import { queryItems, readItem } from './query.ts';
import { numberFrom, type Item, type Table } from './table.ts';
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
  /** Counts changes of the limits. */
  revision: number;
  privacy: Privacy;
  defaultWorkspaceId: string;
  createdAt: string;
}

/** The partition in which every account is named, in the order of creation. */
const DIRECTORY = 'ACCOUNTS';

export function accountKey(accountId: string): { pk: string; sk: string } {
  return { pk: `ACCOUNT#${accountId}`, sk: 'ACCOUNT' };
}

export function accountItem(account: Account): Item {
  return {
    ...accountKey(account.id),
    entity: 'account',
    id: account.id,
    name: account.name,
    mode: account.mode,
    limits: limitsAttribute(account.limits),
    revision: account.revision,
    privacy: privacyAttribute(account.privacy),
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
    privacy: privacyFrom(item['privacy']),
    defaultWorkspaceId: item['default_workspace_id'] as string,
    createdAt: item['created_at'] as string,
  };
}

export async function readAccount(table: Table, accountId: string): Promise<Account | undefined> {
  const item = await readItem(table, accountKey(accountId));
  return item && accountFrom(item);
}

/** An account's place in the list of all accounts. */
export function accountEntryPut(table: Table, account: Pick<Account, 'id' | 'createdAt'>): TransactItems[number] {
  return { Put: { TableName: table.name, Item: { pk: DIRECTORY, sk: `${account.createdAt}#${account.id}` } } };
}

/** Where an account stands in the list of all accounts. */
export interface AccountEntry {
  id: string;
  createdAt: string;
  /** What a later listing may go on behind. */
  place: string;
}

/** Every account of the deployment, oldest first; from behind a place, where one is given. */
export async function* listAccountIds(table: Table, after = ''): AsyncGenerator<AccountEntry> {
  const entries = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    // Every place begins with a year; DynamoDB takes no empty key.
    ExpressionAttributeValues: { ':pk': DIRECTORY, ':after': after || '0' },
  });
  for await (const { sk } of entries) {
    const [createdAt, id] = (sk as string).split('#') as [string, string];
    yield { id, createdAt, place: sk as string };
  }
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
