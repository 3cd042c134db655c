import { afterAll, beforeEach, inject } from 'vitest';
import type { Table } from '../../lambdas/store/table/table.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { newTable, tableThrough } from './table.ts';

/**
 * Creates a table for a test file, and opens it through a proxy that can make requests fail, wait, or lose their
 * replies. The proxy is reset before each test.
 */
export async function faultyTable(
  create: () => Promise<Table> = newTable,
): Promise<{ table: Table; faulty: Table; proxy: FaultProxy }> {
  const [table, proxy] = await Promise.all([create(), startFaultProxy(inject('dynamodbEndpoint'))]);
  beforeEach(() => {
    proxy.faultFor = () => undefined;
    proxy.before = () => undefined;
    proxy.calls.length = 0;
  });
  afterAll(() => proxy.stop());
  return { table, faulty: tableThrough(proxy.endpoint, table), proxy };
}
