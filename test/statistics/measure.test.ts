import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { measureEndpoints } from '../../lambdas/statistics/measure.ts';
import { bucketOf } from '../../lambdas/statistics/histogram.ts';
import { readPoints, writePoint } from '../../lambdas/store/statistics/endpoint-history.ts';
import { addToSlot, HOUR_MS, readHours, SLOT_MS, SLOT_SHARDS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import {
  readMeasurements,
  measurementReader,
  STATISTICS_COPIES,
  writeMeasurement,
} from '../../lambdas/store/statistics/endpoint-statistics.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';
import { startCapacityMeter } from '../support/capacity-meter.ts';
import { newTable, tableThrough } from '../support/table.ts';

/** Twenty-two minutes past the hour, the previous hour is complete. */
const NOW = Date.UTC(2026, 10, 20, 12, 22);
const MINUTE = 60_000;
const DAY_MS = 24 * HOUR_MS;
const ID = 'acme/model';

let table: Table;
beforeEach(async () => {
  table = await newTable();
});

async function count(atMs: number, requests: number, failures = 0, more: { shard?: number; latencyMs?: number } = {}) {
  const { shard = 0, latencyMs } = more;
  const buckets = latencyMs === undefined ? new Map() : new Map([[bucketOf(latencyMs), requests]]);
  const slot = { slotMs: Math.floor(atMs / SLOT_MS) * SLOT_MS, shard, endpointId: ID };
  await addToSlot(table, slot, { requests, failures, latencyMs: buckets, throughput: buckets });
}

async function measured(atMs = NOW, endpointId = ID) {
  await measureEndpoints(table, atMs);
  const [measurement] = await readMeasurements(table);
  expect(measurement!.measuredAtMs).toBe(atMs);
  return measurement!.endpoints[endpointId];
}

async function itemsOf(partition: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of queryPartition(table, partition)) items.push(item);
  return items;
}

describe('the history of an endpoint', () => {
  it('has a point for each ended hour, with its uptime and its medians', async () => {
    const hourMs = Date.UTC(2026, 10, 20, 11);
    await count(hourMs + 5 * MINUTE, 30, 0, { latencyMs: 250 });
    await count(hourMs + 50 * MINUTE, 10, 4, { shard: 3 });
    await count(hourMs - HOUR_MS, 9);
    await count(NOW, 50);

    await measureEndpoints(table, NOW);
    await measureEndpoints(table, NOW + MINUTE);

    const points = await readPoints(table, ID, NOW + MINUTE);
    // An hour with nine requests, and the current hour, have no point; medians are exact to 10 %.
    expect(points.map((point) => point.hourMs)).toEqual([hourMs]);
    expect(points[0]!.uptimePercent).toBe(90);
    expect(Math.abs(points[0]!.latencyMs! - 250)).toBeLessThan(25);
    expect(points[0]!.throughput).toBe(points[0]!.latencyMs);
  });

  it('ends after thirty days', async () => {
    const hourMs = Math.floor(NOW / HOUR_MS) * HOUR_MS;
    for (const ageMs of [31 * DAY_MS, 29 * DAY_MS, DAY_MS]) {
      const point = { hourMs: hourMs - ageMs, uptimePercent: 100, latencyMs: null, throughput: null };
      await writePoint(table, ID, point);
    }

    const points = await readPoints(table, ID, NOW);

    expect(points.map((point) => (hourMs - point.hourMs) / DAY_MS)).toEqual([29, 1]);
    const [item] = await itemsOf(`HEALTH#HISTORY#${ID}`);
    expect(Number(item!['expires_at_seconds']) * 1_000).toBe(hourMs - DAY_MS);
  });
});

describe('uptime', () => {
  it('is measured over five minutes, half an hour and a day', async () => {
    await count(NOW, 10, 5);
    await count(NOW - 20 * MINUTE, 10);
    await count(NOW - 10 * HOUR_MS, 20);
    // Each run completes two hours.
    for (let run = 0; run < 12; run += 1) await measureEndpoints(table, NOW);

    expect((await measured())!.uptimePercent).toEqual({ last5m: 50, last30m: 75, last1d: 87.5 });
  });

  it('is null with few requests', async () => {
    await count(NOW - 20 * MINUTE, 9);
    expect(await measured()).toEqual({
      uptimePercent: { last5m: null, last30m: null, last1d: null },
      latencyMs: null,
      throughput: null,
    });
  });

  it('is below 100 % if anything has failed', async () => {
    await count(NOW, 10_000_000, 1);
    expect((await measured())!.uptimePercent.last5m).toBe(99.99);
  });

  it('sums the parts of a slot, and repeated counts', async () => {
    for (let shard = 0; shard < SLOT_SHARDS; shard += 1) await count(NOW, 5, 1, { shard });
    await count(NOW, 5, 1);
    expect((await measured())!.uptimePercent.last5m).toBe(80);
  });

  it('excludes requests of more than a day ago', async () => {
    await count(NOW - 25 * HOUR_MS - 30 * MINUTE, 100, 100);
    for (let run = 0; run < 13; run += 1) await measureEndpoints(table, NOW);
    expect(await measured()).toBeUndefined();
  });

  it('counts each request once around the turn of an hour', async () => {
    const turn = Date.UTC(2026, 10, 20, 13);
    for (let minute = 22; minute < 60; minute += 5) await count(NOW + (minute - 22) * MINUTE, 10, 1);
    for (const minutes of [1, 9, 10, 11, 30]) {
      const { uptimePercent } = (await measured(turn + minutes * MINUTE))!;
      expect([minutes, uptimePercent.last1d]).toEqual([minutes, 90]);
    }
    expect((await readHours(table, turn - HOUR_MS, turn)).get(turn - HOUR_MS)!.get(ID)).toEqual({
      requests: 80,
      failures: 8,
    });
  });
});

describe('speed of an endpoint', () => {
  it('is measured over half an hour', async () => {
    await count(NOW - 20 * MINUTE, 90, 0, { latencyMs: 200 });
    await count(NOW, 10, 0, { latencyMs: 5_000 });
    await count(NOW - 40 * MINUTE, 1_000, 0, { latencyMs: 60_000 });
    const { latencyMs } = (await measured())!;
    expect(latencyMs!.p50).toBeCloseTo(200, -1.6);
    expect(latencyMs!.p99 / 5_000).toBeGreaterThan(0.9);
    expect(latencyMs!.p99 / 5_000).toBeLessThan(1.1);
  });
});

describe('storage of measurements', () => {
  it('lets DynamoDB delete slots after 26 hours, hours after two days, and the measurement after an hour', async () => {
    await count(NOW, 10);
    await measureEndpoints(table, NOW);
    const slotMs = Date.UTC(2026, 10, 20, 12, 20);
    const [slot] = await itemsOf('HEALTH#2026-11-20T12:20:00.000Z#0');
    expect(slot).toMatchObject({ expires_at_seconds: String((slotMs + 26 * HOUR_MS) / 1_000) });
    const [hour] = await itemsOf('HEALTH#HOURS');
    expect(hour).toMatchObject({
      expires_at_seconds: String((Date.parse('2026-11-20T10:00Z') + 48 * HOUR_MS) / 1_000),
    });
    const [measurement] = await itemsOf('HEALTH#STATISTICS');
    expect(measurement).toMatchObject({ expires_at_seconds: String((NOW + HOUR_MS) / 1_000) });
  });

  it('copies the measurement of a busy installation, and readers find it at any time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    const read = measurementReader(() => table);
    const readOften = async () => {
      for (let time = 0; time < 12; time += 1) expect((await read())[0]?.measuredAtMs).toBe(Date.now());
    };
    await count(NOW, 60_000);
    await measureEndpoints(table, NOW);
    await readOften();
    expect(await readMeasurements(table, STATISTICS_COPIES - 1)).toHaveLength(1);

    // The next measurement has fewer requests, so it is stored only under the first key.
    vi.setSystemTime(NOW + 20 * MINUTE);
    await measureEndpoints(table, NOW + 20 * MINUTE);
    await readOften();
    vi.useRealTimers();
  });

  it('divides a measurement of very many endpoints into several items', async () => {
    const nothing = { uptimePercent: { last5m: null, last30m: 99.5, last1d: 100 }, latencyMs: null, throughput: null };
    const ids = Array.from({ length: 2_500 }, (_, index) => `acme/model-${index}`);
    await writeMeasurement(table, {
      measuredAtMs: NOW,
      endpoints: Object.fromEntries(ids.map((id) => [id, nothing])),
      liveProviders: ['acme'],
      copies: 1,
    });
    expect(await itemsOf('HEALTH#STATISTICS')).toHaveLength(3);
    const parts = await readMeasurements(table);
    expect(parts.flatMap(({ endpoints }) => Object.keys(endpoints)).toSorted()).toEqual(ids.toSorted());
    expect(parts[2]!.endpoints['acme/model-2400']).toEqual(nothing);
    expect(parts.map(({ liveProviders }) => liveProviders)).toEqual([['acme'], ['acme'], ['acme']]);
  });

  it('needs one write and one unit per count, and few queries once the hours of the day are closed', async () => {
    for (let run = 0; run < 12; run += 1) await measureEndpoints(table, NOW);
    const meter = await startCapacityMeter(inject('dynamodbEndpoint'));
    // Nine minutes past the hour, the previous hour is not complete.
    await measureEndpoints(tableThrough(meter.endpoint, table), NOW + 47 * MINUTE);
    expect(meter.calls['PutItem']).toBe(1);
    expect(meter.calls['Query']).toBeLessThanOrEqual(1 + 14 * SLOT_SHARDS);
    meter.reset();
    await count(NOW, 10);
    meter.reset();
    await addToSlot(
      tableThrough(meter.endpoint, table),
      { slotMs: NOW, shard: 0, endpointId: ID },
      { requests: 1, failures: 0, latencyMs: new Map([[30, 1]]), throughput: new Map([[20, 1]]) },
    );
    expect(meter.calls).toEqual({ UpdateItem: 1 });
    expect(meter.units).toBe(1);
    meter.stop();
  });
});
