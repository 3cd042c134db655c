import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { documentsOf } from '../support/documents.ts';
import { readReports, writeReport } from '../../lambdas/store/statistics/endpoint-health.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';
import { startCapacityMeter } from '../support/capacity-meter.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { newTable, tableThrough } from '../support/table.ts';
import { isEndedWithin } from '../support/in-time.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

let table: Table;
let proxy: FaultProxy;
beforeEach(async () => {
  table = await newTable();
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await proxy.stop();
});

const report = (instance: string, publishedAtMs: number) => ({
  instance,
  publishedAtMs,
  attempts: { 'acme/model': [{ number: 598_427_033, ok: 3, failed: 2 }] },
});
const read = (from: Table, atMs: number, limit = 10) =>
  readReports(from, { fromMs: atMs - 30_000, toMs: atMs + 30_000, limit });

async function items(): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of queryPartition(table, 'HEALTH#RECENT')) found.push(item);
  return found;
}

it('health reports are read as written, newest first', async () => {
  await writeReport(table, report('a', NOW));
  await writeReport(table, report('b', NOW + 10_000));
  expect(await read(table, NOW)).toEqual([report('b', NOW + 10_000), report('a', NOW)]);
});

it('health reports of an instance replace its last report, for ten seconds', async () => {
  await writeReport(table, report('a', NOW));
  await writeReport(table, report('a', NOW + 9_000));
  await writeReport(table, report('a', NOW + 11_000));
  expect((await read(table, NOW)).map(({ publishedAtMs }) => publishedAtMs)).toEqual([NOW + 11_000, NOW + 9_000]);
});

it('health reports are deleted by DynamoDB after an hour', async () => {
  await writeReport(table, report('a', NOW));
  const key = { pk: 'HEALTH#RECENT', sk: '2026-11-20T12:00:00.000Z#a' };
  const { Item: item } = await documentsOf(table).send(new GetCommand({ TableName: table.name, Key: key }));
  expect(item).toMatchObject({ entity: 'endpoint_health', expires_at_seconds: String(NOW / 1_000 + 3_600) });
});

it('health reports that are old, or from a clock far ahead, are not read', async () => {
  for (const ageMs of [-3_600_000, 50_000, 3_600_000]) await writeReport(table, report(`at ${ageMs}`, NOW - ageMs));
  await writeReport(table, report('now', NOW));
  expect((await read(table, NOW)).map(({ instance }) => instance)).toEqual(['now']);
  expect(await items()).toHaveLength(4);
});

it('health reports are read in one page, for few units', async () => {
  for (let number = 0; number < 80; number += 1) await writeReport(table, report(`instance-${number}`, NOW));
  const meter = await startCapacityMeter(inject('dynamodbEndpoint'));
  const metered = tableThrough(meter.endpoint, table);

  expect(await read(metered, NOW, 64)).toHaveLength(64);
  expect(meter.calls).toEqual({ Query: 1 });
  expect(meter.units).toBeLessThanOrEqual(2.5);

  meter.reset();
  await writeReport(metered, report('a', NOW));
  expect(meter.calls).toEqual({ PutItem: 1 });
  expect(meter.units).toBe(1);

  meter.reset();
  expect(await read(metered, NOW + 3_600_000)).toEqual([]);
  expect(meter.units).toBeLessThanOrEqual(0.5);
  meter.stop();
});

it('health reports of many instances are written to eight partitions, and a reader uses one of them', async () => {
  await writeReport(table, report('alone', NOW));
  await writeReport(table, report('of many', NOW), { isCrowd: true });
  const meter = await startCapacityMeter(inject('dynamodbEndpoint'));
  const metered = tableThrough(meter.endpoint, table);

  for (let place = 0; place < 8; place += 1) {
    vi.spyOn(Math, 'random').mockReturnValue(place / 8);
    const found = await readReports(metered, { fromMs: NOW, toMs: NOW, limit: 10, isCrowd: true });
    expect(found.map(({ instance }) => instance)).toEqual(place === 0 ? ['of many', 'alone'] : ['of many']);
  }

  expect(meter.calls).toEqual({ Query: 8 });
  meter.stop();
});

it('health reports are abandoned in time if the table does not respond', async () => {
  proxy.before = () => new Promise(() => {});
  const slow = tableThrough(proxy.endpoint, table);
  const writing = writeReport(slow, report('a', NOW));
  expect(await isEndedWithin(900, writing)).toBe(true);
  await expect(writing).rejects.toThrow();
  const reading = read(slow, NOW);
  expect(await isEndedWithin(1_600, reading)).toBe(true);
  await expect(reading).rejects.toThrow();
});
