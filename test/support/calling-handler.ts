import { openQueueCalls } from '../../lambdas/platform/queues/queue-calls.ts';
import { openTable } from '../../lambdas/store/table/table.ts';

/** Function that calls the table once and a queue once, for tests of bundles. */
export async function handler(queueUrl: string): Promise<unknown[]> {
  const request = { TableName: 'table', Key: { pk: { S: 'a' }, sk: { S: 'b' } } };
  const attributes = { QueueUrl: queueUrl, AttributeNames: ['All'] };
  return [
    await openTable({ name: 'table' }).call('GetItem', request),
    await openQueueCalls(queueUrl)('GetQueueAttributes', attributes),
  ];
}
