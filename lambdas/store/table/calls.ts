/** DynamoDB calls, with the items of the store (`Item`) instead of DynamoDB's own JSON. */

import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { CallOptions } from '../../platform/aws/aws-call.ts';
import { fromAttributes, toAttributes, type Attributes } from './attribute-values.ts';
import type { Item, Table } from './table.ts';
import type { Key, Write } from './writes.ts';

export type Query = Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>;

export interface Page {
  items: Item[];
  /** Start of the next page; undefined on the last page. */
  next: Item | undefined;
}

/** Reads an item consistently. */
export function getItem(table: Table, key: Key): Promise<Item | undefined> {
  return getWith(table, key, true);
}

/**
 * Reads an item, eventually consistent.
 * @throws {Error} if the read fails, or exceeds the time limit
 */
export function getItemWithin(table: Table, timeoutMs: number, key: Key): Promise<Item | undefined> {
  return getWith(table, key, false, { timeoutMs });
}

async function getWith(
  table: Table,
  key: Key,
  isConsistent: boolean,
  options?: CallOptions,
): Promise<Item | undefined> {
  const request = { TableName: table.name, Key: toAttributes(key), ConsistentRead: isConsistent };
  const { Item: item } = await table.call<{ Item?: Attributes }>('GetItem', request, options);
  return item && fromAttributes(item);
}

/** Reads up to a hundred items consistently, in any order. */
export async function batchGetItems(table: Table, keys: Key[]): Promise<{ items: Item[]; unread: Key[] }> {
  const { Responses: found, UnprocessedKeys: left } = await table.call<{
    Responses?: Record<string, Attributes[]>;
    UnprocessedKeys?: Record<string, { Keys: Attributes[] }>;
  }>('BatchGetItem', { RequestItems: { [table.name]: { Keys: keys.map(toAttributes), ConsistentRead: true } } });
  return {
    items: (found?.[table.name] ?? []).map(fromAttributes),
    unread: (left?.[table.name]?.Keys ?? []).map(fromAttributes) as Key[],
  };
}

/**
 * Reads one page of a query.
 * @param options.start end of the previous page
 */
export async function queryPage(
  table: Table,
  { ExpressionAttributeValues: values, ...query }: Query,
  { start, ...options }: { start?: Item | undefined } & CallOptions = {},
): Promise<Page> {
  const { Items: items, LastEvaluatedKey: last } = await table.call<{
    Items?: Attributes[];
    LastEvaluatedKey?: Attributes;
  }>(
    'Query',
    {
      ...query,
      TableName: table.name,
      ...(values ? { ExpressionAttributeValues: toAttributes(values) } : {}),
      ...(start ? { ExclusiveStartKey: toAttributes(start) } : {}),
    },
    options,
  );
  return { items: (items ?? []).map(fromAttributes), next: last && fromAttributes(last) };
}

const operations = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const;

/**
 * Executes one write.
 * @throws {AwsError} if DynamoDB rejects the write, for example because its condition is not true
 * @throws {Error} if no usable response arrives in time, or for a condition check, which is not a write by itself
 */
export async function writeItem(table: Table, write: Write, options?: CallOptions): Promise<void> {
  const [kind, request] = Object.entries(requestOf(write))[0]!;
  const operation = (operations as Record<string, string>)[kind];
  if (operation === undefined) throw new TypeError('A condition check is not a write by itself');
  await table.call(operation, request, options);
}

/**
 * Executes an update, and returns the new values of the attributes that it changed.
 * @throws {AwsError} if DynamoDB rejects the update
 * @throws {NoReplyError} if no usable response arrives
 */
export async function updateItem(table: Table, write: Write): Promise<Item> {
  const { Attributes: changed = {} } = await table.call<{ Attributes?: Attributes }>('UpdateItem', {
    ...requestOf(write)['Update'],
    ReturnValues: 'UPDATED_NEW',
  });
  return fromAttributes(changed);
}

export type WriteRequest = { PutRequest: { Item: Key & Item } } | { DeleteRequest: { Key: Key } };

/**
 * Executes up to 25 writes without conditions, each to a different item.
 * @returns the unprocessed elements of `writes`
 */
export async function batchWriteItems(table: Table, writes: WriteRequest[]): Promise<WriteRequest[]> {
  const requests = writes.map((write) =>
    'PutRequest' in write
      ? { PutRequest: { Item: toAttributes(write.PutRequest.Item) } }
      : { DeleteRequest: { Key: toAttributes(write.DeleteRequest.Key) } },
  );
  const { UnprocessedItems: undone } = await table.call<{ UnprocessedItems?: Record<string, typeof requests> }>(
    'BatchWriteItem',
    { RequestItems: { [table.name]: requests } },
  );
  const left = new Set((undone?.[table.name] ?? []).map((request) => itemName(fromAttributes(keyIn(request)) as Key)));
  return left.size === 0 ? [] : writes.filter((write) => left.has(itemName(keyIn(write))));
}

function keyIn<Keyed>(request: { PutRequest: { Item: Keyed } } | { DeleteRequest: { Key: Keyed } }): Keyed {
  return 'PutRequest' in request ? request.PutRequest.Item : request.DeleteRequest.Key;
}

function itemName({ pk, sk }: Key): string {
  return `${pk}\n${sk}`;
}

/**
 * Executes all writes or none.
 * @param token identifies the writes: calls with the same token within ten minutes execute them once
 * @throws {AwsError} if DynamoDB rejects the transaction, for example because the condition of a write is not true
 * @throws {NoReplyError} if no usable response arrives
 */
export async function transactWriteItems(table: Table, writes: object[], token: string): Promise<void> {
  await table.call('TransactWriteItems', { TransactItems: writes, ClientRequestToken: token });
}

interface Request {
  Item?: Item;
  Key?: Item;
  ExpressionAttributeValues?: Item;
}

export function requestOf(write: Write): Record<string, object> {
  const [kind, { Item: item, Key: key, ExpressionAttributeValues: values, ...request }] = Object.entries(write)[0] as [
    string,
    Request,
  ];
  return {
    [kind]: {
      ...request,
      ...(item ? { Item: toAttributes(item) } : {}),
      ...(key ? { Key: toAttributes(key) } : {}),
      ...(values ? { ExpressionAttributeValues: toAttributes(values) } : {}),
    },
  };
}
