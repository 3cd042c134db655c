import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { sdkClient } from '../../lib/shared/database/sdk-client.ts';
import type { Table } from '../../lambdas/store/table/table.ts';

const clients = new WeakMap<Table, DynamoDBDocumentClient>();

/** Keeps all digits of stored numbers. */
const wrapNumbers = (digits: string) => digits;

/** Returns the AWS SDK's client for a table, as billing reviewers use it. */
export function documentsOf(table: Table): DynamoDBDocumentClient {
  const known = clients.get(table);
  if (known) return known;
  const documents = DynamoDBDocumentClient.from(sdkClient(table.endpoint), {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers },
  });
  clients.set(table, documents);
  return documents;
}
