/** Items and keys in the body of a DynamoDB call. */

import type { AttributeJson, ItemJson } from './item-units.ts';

export interface TableRequest {
  /** Name of the action, for example TransactWriteItems. */
  action: string;
  body: RequestBody;
}

/** Write of one item, in a transaction or alone. */
export interface WriteBody {
  TableName: string;
  Key?: ItemJson;
  Item?: ItemJson;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: ItemJson;
  ReturnValuesOnConditionCheckFailure?: string;
}

export interface BatchedWrite {
  PutRequest?: { Item: ItemJson };
  DeleteRequest?: { Key: ItemJson };
}

export interface RequestBody extends Partial<WriteBody> {
  ClientRequestToken?: string;
  ConsistentRead?: boolean;
  IndexName?: string;
  KeyConditionExpression?: string;
  TransactItems?: Record<string, WriteBody>[];
  RequestItems?: Record<string, BatchedWrite[] | { Keys: ItemJson[]; ConsistentRead?: boolean }>;
}

/** Write (or transactional read) of one item. */
export interface ItemWrite {
  kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck' | 'Get';
  table: string;
  /** Name of the item, which is unique over all tables. */
  item: string;
  partition: string;
  request: WriteBody;
}

const singleWrites: Record<string, ItemWrite['kind']> = {
  PutItem: 'Put',
  UpdateItem: 'Update',
  DeleteItem: 'Delete',
};

export function isSingleWrite(action: string): boolean {
  return action in singleWrites;
}

/** Calls that read or write items. */
export const itemActionNames: ReadonlySet<string> = new Set([
  ...Object.keys(singleWrites),
  'TransactWriteItems',
  'TransactGetItems',
  'BatchWriteItem',
  'BatchGetItem',
  'GetItem',
  'Query',
  'Scan',
]);

/** Returns the items of a transaction in order, or the item of a single write. */
export function writesOfRequest({ action, body }: TableRequest): ItemWrite[] {
  const single = singleWrites[action];
  if (single) return [itemWrite(single, body as WriteBody)];
  return (body.TransactItems ?? []).map((one) => {
    const [kind, request] = Object.entries(one)[0]!;
    return itemWrite(kind as ItemWrite['kind'], request);
  });
}

/** Converts an entry of a BatchWriteItem request. */
export function batchedItemWrite(table: string, { PutRequest: put, DeleteRequest: removal }: BatchedWrite): ItemWrite {
  return put
    ? itemWrite('Put', { TableName: table, Item: put.Item })
    : itemWrite('Delete', { TableName: table, Key: removal!.Key });
}

function itemWrite(kind: ItemWrite['kind'], request: WriteBody): ItemWrite {
  const key = (request.Key ?? request.Item)!;
  const table = request.TableName;
  return { kind, table, request, item: itemName(table, key), partition: partitionName(table, textOf(key['pk'])) };
}

export function itemName(table: string, key: ItemJson): string {
  return `${table}\n${textOf(key['pk'])}\n${textOf(key['sk'])}`;
}

export function partitionName(table: string, partition: string, index = ''): string {
  return `${table}\n${index}\n${partition}`;
}

/** Returns the partition that a query reads, from a key condition such as `pk = :pk AND …`. */
export function queriedPartition(body: RequestBody): string {
  const placeholder = /^\s*\S+\s*=\s*(:\w+)/.exec(body.KeyConditionExpression ?? '')?.[1] ?? '';
  return partitionName(body.TableName!, textOf(body.ExpressionAttributeValues?.[placeholder]), body.IndexName);
}

export function textOf(value: AttributeJson | undefined): string {
  return value ? String(value['S']) : '';
}
