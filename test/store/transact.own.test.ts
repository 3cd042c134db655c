import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { transact } from '../../lambdas/store/table/transact.ts';
import { put } from '../../lambdas/store/table/writes.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { newTable } from '../support/table.ts';

let proxy: FaultProxy;
let metrics: Record<string, unknown>[];
beforeEach(async () => {
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  vi.stubEnv(variables.metricsNamespace, 'ModelGateway/test');
  metrics = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => metrics.push(JSON.parse(String(line))) > 0);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await proxy.stop();
});

it('a transaction reports the number of its conflicts after its end', async () => {
  const table = await newTable(proxy.endpoint);
  proxy.faultFor = (_call, number) => (number <= 2 ? 'conflict' : undefined);

  await transact(table, { item: put(table, { pk: 'A', sk: 'A' }) });

  expect(metrics).toMatchObject([{ Conflicts: 2 }]);
});

it('a transaction without conflicts writes no line', async () => {
  const table = await newTable(proxy.endpoint);

  await transact(table, { item: put(table, { pk: 'A', sk: 'A' }) });

  expect(metrics).toEqual([]);
});
