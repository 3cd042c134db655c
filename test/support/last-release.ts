import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, DynamoDBClient, type AttributeValue } from '@aws-sdk/client-dynamodb';
import type { QueueName } from '../../lambdas/route.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { createTable, LOCAL_TABLE, startDynamodb } from '../../lib/shared/database/dynamodb.ts';

export type StoredItem = Record<string, AttributeValue>;

const fixture = join(import.meta.dirname, '../fixtures/release-0.2.0');
const read = (name: string) => readFileSync(join(fixture, name), 'utf8');

export const releasedItems = read('items.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as StoredItem);

/** Keys that the last release created. */
export const releasedKeys = JSON.parse(read('keys.json')) as Record<
  'inference_key' | 'management_key' | 'server_key',
  string
>;

/** One message of each queue, as JSON. */
export const releasedMessages = JSON.parse(read('messages.json')) as Record<QueueName, object>;

export const RELEASED_DATE = '2026-11-20';

export async function layOutLastRelease(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const name of ['secrets.json', 'state.json']) copyFileSync(join(fixture, name), join(directory, name));
  const dynamodb = await startDynamodb(directory);
  await createTable(dynamodb.endpoint, LOCAL_TABLE);
  const client = new DynamoDBClient({
    endpoint: dynamodb.endpoint,
    region: 'us-east-1',
    credentials: localCredentials,
  });
  for (let start = 0; start < releasedItems.length; start += 25) {
    const some = releasedItems.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [LOCAL_TABLE]: some } }));
  }
  client.destroy();
  await dynamodb.stop();
}
