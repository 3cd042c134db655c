import type { Actor } from './audit.ts';
import { limitsAttribute, limitsField, type Limits } from '../counters/limits.ts';
import { privacyAttribute, privacyField, type Privacy } from './privacy.ts';
import { queryItems, queryPartition, readItem } from '../table/query.ts';
import { count, money, oneOf, optional, plain, record, text, type RecordOf } from '../table/record.ts';
import type { Table } from '../table/table.ts';
import { check, put, putNew, update, type Key, type Write } from '../table/writes.ts';

/**
 * Ways in which an account pays. The lifetime limit of a prepaid account is the sum of its payments, refunds and
 * adjustments.
 */
export const accountModes = ['postpaid', 'prepaid'] as const;
export type AccountMode = (typeof accountModes)[number];

/** Inference requests of a suspended account are refused. The keys of a closed account do not work at all. */
const accountStatuses = ['active', 'suspended', 'closed'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

const accountRecord = record({
  id: text('id'),
  name: text('name'),
  mode: oneOf('mode', accountModes),
  /** Absent if the status was never changed; the account is then active. */
  status: optional(oneOf('status', accountStatuses)),
  /** Spending limits. A prepaid account has only a lifetime limit. */
  limits: limitsField('limits'),
  /** Number of times that the limits were changed. */
  revision: count('revision'),
  privacy: privacyField,
  defaultWorkspaceId: text('default_workspace_id'),
  createdAt: text('created_at'),
  /** Time from which records are spread over many partitions per day; absent if they are not. */
  recordsSpreadSince: optional(text('records_spread_since')),
});
export type Account = RecordOf<typeof accountRecord>;

export const accountFrom = accountRecord.from;
export const accountAttributes = accountRecord.attributes;

/** Partition with an entry for every account, in the order of creation. */
const DIRECTORY = 'ACCOUNTS';

export function accountKey(accountId: string): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: 'ACCOUNT' };
}

export async function readAccount(table: Table, accountId: string): Promise<Account | undefined> {
  const item = await readItem(table, accountKey(accountId));
  return item && accountFrom(item);
}

export function accountPut(table: Table, account: Account): Write {
  return putNew(table, { ...accountKey(account.id), entity: 'account', ...accountRecord.toItem(account) });
}

export function accountEntryPut(table: Table, account: Pick<Account, 'id' | 'createdAt'>): Write {
  return put(table, { pk: DIRECTORY, sk: `${account.createdAt}#${account.id}` });
}

/** Returns the write that renames an account. It fails if the name has changed since it was read. */
export function accountNameUpdate(table: Table, account: Account, name: string): Write {
  return update(table, accountKey(account.id), { set: { name }, when: { equal: { name: account.name } } });
}

/** Returns the write that replaces the privacy settings. It fails if they have changed since they were read. */
export function accountPrivacyUpdate(table: Table, account: Account, privacy: Privacy): Write {
  const when = { equal: { id: account.id }, equalIfPresent: { privacy: privacyAttribute(account.privacy) } };
  return update(table, accountKey(account.id), { set: { privacy: privacyAttribute(privacy) }, when });
}

export function isActive({ status = 'active' }: Pick<Account, 'status'>): boolean {
  return status === 'active';
}

/**
 * Returns the condition that the status is unchanged. A stored status is never removed, so an absent status means
 * `active`.
 */
function statusAsRead(account: Account) {
  const { id, status } = account;
  return { equal: { id, ...(status === undefined ? {} : { status }) }, equalIfPresent: { status: status ?? 'active' } };
}

/** Returns the write that sets the status. It fails if the status has changed since it was read. */
export function accountStatusUpdate(table: Table, account: Account, status: AccountStatus): Write {
  return update(table, accountKey(account.id), { set: { status }, when: statusAsRead(account) });
}

/** Returns the check that fails a transaction if the status has changed since it was read. */
export function accountStatusCheck(table: Table, account: Account): Write {
  return check(table, accountKey(account.id), statusAsRead(account));
}

/** Returns the write that spreads records of the account from a time on. It fails if they are already spread. */
export function recordsSpreadUpdate(table: Table, { id }: Account, since: string): Write {
  return update(table, accountKey(id), {
    set: { records_spread_since: since },
    when: { equal: { id }, absent: ['records_spread_since'] },
  });
}

/** Returns the write that replaces the limits. It fails if their revision has changed since it was read. */
export function accountLimitsUpdate(table: Table, account: Account, limits: Limits): Write {
  return update(table, accountKey(account.id), {
    set: { limits: limitsAttribute(limits), revision: account.revision + 1 },
    when: { equal: { revision: account.revision } },
  });
}

export interface AccountEntry {
  id: string;
  createdAt: string;
  /** Position of the account in the list of accounts, from which a later listing may continue. */
  place: string;
}

/** Yields all accounts after a position (`place`), oldest first. */
export async function* listAccountIds(table: Table, after = ''): AsyncGenerator<AccountEntry> {
  const entries = queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk > :after',
    // Every position begins with a year, so '0' sorts before the first position. DynamoDB rejects empty keys.
    ExpressionAttributeValues: { ':pk': DIRECTORY, ':after': after || '0' },
  });
  for await (const { sk } of entries) {
    const [createdAt, id] = (sk as string).split('#') as [string, string];
    yield { id, createdAt, place: sk as string };
  }
}

const ACCOUNTS_OF_A_PAGE = 20;

/** Yields all accounts after a position (`place`) in pages, oldest first. */
export async function* accountPages(table: Table, after?: string): AsyncGenerator<AccountEntry[], void> {
  let page: AccountEntry[] = [];
  for await (const account of listAccountIds(table, after)) {
    page.push(account);
    if (page.length < ACCOUNTS_OF_A_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

export const balanceEntryKinds = ['top_up', 'refund', 'adjustment'] as const;
export type BalanceEntryKind = (typeof balanceEntryKinds)[number];

const balanceEntryRecord = record({
  id: text('id'),
  kind: oneOf('entity', balanceEntryKinds),
  /** Amount of the entry; negative for a refund, or for an adjustment that reduces the balance. */
  amount: money('amount_rub'),
  /** Purpose of the payment, or reason of the adjustment. */
  note: optional(text('note')),
  /** Author of the entry; absent in entries of earlier releases. */
  actor: optional(plain<Actor>('actor')),
  createdAt: text('created_at'),
});
export type BalanceEntry = RecordOf<typeof balanceEntryRecord>;

export const balanceEntryAttributes = balanceEntryRecord.attributes;

function balanceEntryKey(accountId: string, id: string): Key {
  return { pk: `ACCOUNT#${accountId}`, sk: `TOPUP#${id}` };
}

export function balanceEntryPut(table: Table, accountId: string, entry: BalanceEntry): Write {
  return putNew(table, { ...balanceEntryKey(accountId, entry.id), ...balanceEntryRecord.toItem(entry) });
}

export async function readBalanceEntry(table: Table, accountId: string, id: string): Promise<BalanceEntry | undefined> {
  const item = await readItem(table, balanceEntryKey(accountId, id));
  return item && balanceEntryRecord.from(item);
}

/** Returns all entries of an account, oldest first. */
export async function listBalanceEntries(table: Table, accountId: string): Promise<BalanceEntry[]> {
  const items = await Array.fromAsync(queryPartition(table, `ACCOUNT#${accountId}`, 'TOPUP#'));
  return items.map(balanceEntryRecord.from).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
