import type { DynamodbCall } from './fault-proxy.ts';

/** Permission that a call to DynamoDB needs, and its partition; undefined for a scan. */
export interface ItemAction {
  action: string;
  partition: string | undefined;
  index: string | undefined;
}

type Text = { S?: string };
type Item = { pk?: Text } & Record<string, Text>;
interface Body {
  IndexName?: string;
  Key?: Item;
  Item?: Item;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, Text>;
  ExpressionAttributeNames?: Record<string, string>;
  RequestItems?: Record<string, { Keys?: Item[] } | { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>;
  TransactItems?: { Put?: Body; Update?: Body; Delete?: Body; ConditionCheck?: Body; Get?: Body }[];
}

const ofTransactions = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
} as const;

/** Returns the permissions that a call needs. A transaction needs the permissions of its items. */
export function itemActions({ action, body }: Pick<DynamodbCall, 'action' | 'body'>): ItemAction[] {
  const asked = JSON.parse(body) as Body;
  const needs = (right: string, item: Item | undefined): ItemAction => ({
    action: right,
    partition: item?.pk?.S,
    index: asked.IndexName,
  });
  if (asked.TransactItems) {
    return asked.TransactItems.flatMap((part) =>
      Object.entries(ofTransactions).flatMap(([kind, right]) => {
        const write = part[kind as keyof typeof ofTransactions];
        return write ? [needs(right, write.Key ?? write.Item)] : [];
      }),
    );
  }
  if (asked.RequestItems) {
    return Object.values(asked.RequestItems).flatMap((requests) =>
      Array.isArray(requests)
        ? requests.map(({ PutRequest, DeleteRequest }) => needs(action, PutRequest?.Item ?? DeleteRequest?.Key))
        : (requests.Keys ?? []).map((key) => needs(action, key)),
    );
  }
  if (action === 'Query') return [needs(action, { pk: asked.ExpressionAttributeValues?.[partitionIn(asked)] ?? {} })];
  return [needs(action, asked.Key ?? asked.Item)];
}

/** Returns the placeholder of the partition key in a key condition such as `pk = :pk AND …`. */
function partitionIn({ KeyConditionExpression = '' }: Body): string {
  return /^\s*\S+\s*=\s*(:\w+)/.exec(KeyConditionExpression)?.[1] ?? '';
}
