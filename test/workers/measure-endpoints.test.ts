import { beforeAll, expect, inject, it } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { addToSlot, SLOT_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { readMeasurements } from '../../lambdas/store/statistics/endpoint-statistics.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { handler } from '../../lambdas/workers/measure-endpoints/handler.ts';
import { newTable } from '../support/table.ts';

let table: Table;
beforeAll(async () => {
  table = await newTable();
  Object.assign(process.env, {
    [variables.tableName]: table.name,
    [variables.dynamodbEndpoint]: inject('dynamodbEndpoint'),
  });
});

it('measure-endpoints measures the requests counted so far', async () => {
  const slotMs = Math.floor(Date.now() / SLOT_MS) * SLOT_MS;
  const sums = { requests: 20, failures: 1, latencyMs: new Map(), throughput: new Map() };
  await addToSlot(table, { slotMs, shard: 0, endpointId: 'acme/model' }, sums);

  expect(await handler()).toEqual({ measured: 1 });

  const [measurement] = await readMeasurements(table);
  expect(measurement!.endpoints['acme/model']!.uptimePercent).toMatchObject({ last30m: 95, last1d: 95 });
});
