import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  GENERATION_SHARDS,
  generationFrom,
  generationKey,
  generationPartition,
  SWEEP_SHARDS,
  type Generation,
} from './generations.ts';
import { indexes, type Item, type Table } from './table.ts';

export async function readGenerationItem(table: Table, accountId: string, id: string): Promise<Item | undefined> {
  const answer = await table.documents.send(
    new GetCommand({ TableName: table.name, Key: generationKey(accountId, id), ConsistentRead: true }),
  );
  return answer.Item;
}

/** Keys of pending generations, in the order in which they may be swept; read from the index, so possibly stale. */
export async function* pendingGenerations(
  table: Table,
  upTo: { sweepAtMs?: number },
): AsyncGenerator<{ pk: string; sk: string }> {
  const names: Record<string, string> = { '#shard': indexes.sweep.partition };
  if (upTo.sweepAtMs !== undefined) names['#at'] = indexes.sweep.sort;
  for (let shard = 0; shard < SWEEP_SHARDS; shard += 1) {
    const values: Item = { ':shard': `SWEEP#${shard}` };
    if (upTo.sweepAtMs !== undefined) values[':at'] = new Date(upTo.sweepAtMs).toISOString();
    let start: Item | undefined;
    do {
      const page = await table.documents.send(
        new QueryCommand({
          TableName: table.name,
          IndexName: indexes.sweep.name,
          KeyConditionExpression: upTo.sweepAtMs === undefined ? '#shard = :shard' : '#shard = :shard AND #at <= :at',
          ExpressionAttributeNames: names,
          ExpressionAttributeValues: values,
          ExclusiveStartKey: start,
        }),
      );
      for (const item of page.Items ?? []) yield { pk: item['pk'] as string, sk: item['sk'] as string };
      start = page.LastEvaluatedKey;
    } while (start);
  }
}

/** Every generation of an account's UTC day, read consistently from the base table. */
export async function* generationsOfDay(table: Table, accountId: string, date: string): AsyncGenerator<Generation> {
  for (let shard = 0; shard < GENERATION_SHARDS; shard += 1) {
    let start: Item | undefined;
    do {
      const page = await table.documents.send(
        new QueryCommand({
          TableName: table.name,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': generationPartition(accountId, date, shard) },
          ExclusiveStartKey: start,
        }),
      );
      for (const item of page.Items ?? []) if (item['entity'] === 'generation') yield generationFrom(item);
      start = page.LastEvaluatedKey;
    } while (start);
  }
}
