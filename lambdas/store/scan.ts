import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documentsOf } from './documents.ts';
import type { Item, Table } from './table.ts';

/** Every item of some entities that lacks an attribute, read consistently. Cost: the whole table. */
export async function* scanItemsWithout(
  table: Table,
  attribute: string,
  entities: string[],
): AsyncGenerator<Item, void> {
  const names = entities.map((entity, index) => [`:entity${index}`, entity] as const);
  let start: Item | undefined;
  do {
    const page = await documentsOf(table).send(
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
