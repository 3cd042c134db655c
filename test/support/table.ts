import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { createTable } from '../../lib/shared/database/dynamodb.ts';
import { openTable, type Table } from '../../lambdas/store/table/table.ts';

/**
 * Creates a table.
 * @param endpoint address through which the table is opened, for example the address of a fault proxy
 */
export async function newTable(endpoint?: string): Promise<Table> {
  const name = `test-${randomUUID()}`;
  await createTable(inject('dynamodbEndpoint'), name);
  return openTable({ endpoint: endpoint ?? inject('dynamodbEndpoint'), name });
}

/** Opens a table through another endpoint, such as a proxy. */
export function tableThrough(endpoint: string, table: Table): Table {
  return openTable({ endpoint, name: table.name });
}
