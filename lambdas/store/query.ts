import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { indexes, type Item, type Table } from './table.ts';

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

/** Items of a partition whose sort key begins with the prefix, read consistently. */
export function queryPartition(table: Table, partition: string, prefix: string): AsyncGenerator<Item, void> {
  return queryItems(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partition, ':prefix': prefix },
  });
}

/** Index entries of an owner in the order of creation: keys only, possibly a moment old. */
export function queryOwned(table: Table, owner: string): AsyncGenerator<Item, void> {
  return queryItems(table, {
    IndexName: indexes.byOwner.name,
    KeyConditionExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#owner': indexes.byOwner.partition },
    ExpressionAttributeValues: { ':owner': owner },
  });
}
