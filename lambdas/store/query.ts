import { BatchGetCommand, GetCommand, QueryCommand, ScanCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { inBatches } from './batches.ts';
import type { Item, Table } from './table.ts';

/** Every item of a query, page after page. */
export async function* queryItems(
  table: Table,
  query: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
): AsyncGenerator<Item, void> {
  let start: Item | undefined;
  do {
    const page = await table.documents.send(
      new QueryCommand({ ...query, TableName: table.name, ExclusiveStartKey: start }),
    );
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

/** Every item of some entities that lacks an attribute, read consistently. Cost: the whole table. */
export async function* scanItemsWithout(
  table: Table,
  attribute: string,
  entities: string[],
): AsyncGenerator<Item, void> {
  const names = entities.map((entity, index) => [`:entity${index}`, entity] as const);
  let start: Item | undefined;
  do {
    const page = await table.documents.send(
      new ScanCommand({
        TableName: table.name,
        ConsistentRead: true,
        FilterExpression: `entity IN (${names.map(([name]) => name).join(', ')}) AND attribute_not_exists(#without)`,
        ExpressionAttributeNames: { '#without': attribute },
        ExpressionAttributeValues: Object.fromEntries(names),
        ExclusiveStartKey: start,
      }),
    );
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

/** What is between two sort keys of a partition, both included: one page, in the time there is for it, perhaps a little old. */
export async function queryPageWithin(
  table: Table,
  timeoutMs: number,
  {
    pk,
    from,
    to,
    ...more
  }: { pk: string; from: string; to: string } & Pick<QueryCommandInput, 'Limit' | 'ScanIndexForward'>,
): Promise<Item[]> {
  const page = new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ...more,
  });
  const answer = await table.documents.send(page, { abortSignal: AbortSignal.timeout(timeoutMs) });
  return answer.Items ?? [];
}

/** Items of a partition, read consistently; with a prefix, those whose sort key begins with it. */
export function queryPartition(table: Table, partition: string, prefix?: string): AsyncGenerator<Item, void> {
  return queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition, ...(prefix === undefined ? {} : { ':prefix': prefix }) },
  });
}

/** An item by its key, read consistently. */
export async function readItem(table: Table, key: { pk: string; sk: string }): Promise<Item | undefined> {
  const answer = await table.documents.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
  return answer.Item;
}

/** DynamoDB's limit for one BatchGetItem. */
const MAX_BATCH = 100;

/** Items by their keys, read consistently, in no order; what does not exist is left out. @throws {StoreBusyError} */
export async function readItems(table: Table, keys: { pk: string; sk: string }[]): Promise<Item[]> {
  const items: Item[] = [];
  await inBatches<Item>(keys, MAX_BATCH, async (batch) => {
    const answer = await table.documents.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: batch, ConsistentRead: true } } }),
    );
    items.push(...(answer.Responses?.[table.name] ?? []));
    return answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
  });
  return items;
}
