import type { EndpointStatistics, Percentiles } from '../../catalog/endpoint-statistics.ts';
import { nowMs } from '../../platform/clock.ts';
import { queryPageWithin } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

export interface Measurement {
  measuredAtMs: number;
  endpoints: Record<string, EndpointStatistics>;
  /** Ids of the providers that can be called; undefined if the providers' credentials could not be read. */
  liveProviders: readonly string[] | undefined;
  /** Number of partition keys of the measurement. */
  copies: number;
}

/**
 * Partition keys of the measurement. A gateway with many requests stores the measurement under all keys, because
 * DynamoDB allows 3,000 read units per second for each.
 */
const STATISTICS_PARTITIONS = [
  'HEALTH#STATISTICS',
  ...Array.from({ length: 15 }, (_, copy) => `HEALTH#STATISTICS#${copy + 1}`),
];
export const STATISTICS_COPIES = STATISTICS_PARTITIONS.length;
/** Age in ms from which a copy other than the first is no longer used. */
const MAX_COPY_AGE_MS = 3 * 60_000;
const KEEP_STATISTICS_MS = 60 * 60_000;
/** Maximum number of endpoints per item, which keeps the item below 400 KB. */
const ENDPOINTS_IN_ITEM = 1_000;
const STATISTICS_READ_TIMEOUT_MS = 1_000;

/** Replaces the last measurement under the first `copies` partition keys. */
export async function writeMeasurement(table: Table, measurement: Measurement): Promise<void> {
  const { measuredAtMs, endpoints, liveProviders, copies } = measurement;
  const partitions = STATISTICS_PARTITIONS.slice(0, copies);
  const entries = Object.entries(endpoints).map(([id, statistics]) => [id, compact(statistics)] as const);
  for (let part = 0; part === 0 || part * ENDPOINTS_IN_ITEM < entries.length; part += 1) {
    const item = {
      sk: String(part),
      entity: 'endpoint_statistics',
      measured_at: new Date(measuredAtMs).toISOString(),
      live_providers: liveProviders,
      copies,
      endpoints: Object.fromEntries(entries.slice(part * ENDPOINTS_IN_ITEM, (part + 1) * ENDPOINTS_IN_ITEM)),
      [TTL_ATTRIBUTE]: Math.ceil((measuredAtMs + KEEP_STATISTICS_MS) / 1_000),
    };
    await Promise.all(partitions.map((pk) => writeAlone(table, put(table, { pk, ...item }))));
  }
}

/** Returns a function that reads the last measurement, from a random copy if the previous read found several. */
export function measurementReader(table: () => Table): () => Promise<Measurement[]> {
  let copies = 1;
  return async () => {
    const copy = Math.floor(Math.random() * copies);
    const found = await readMeasurements(table(), copy);
    const isCurrent = copy === 0 || found.some(({ measuredAtMs }) => nowMs() - measuredAtMs < MAX_COPY_AGE_MS);
    const current = isCurrent ? found : await readMeasurements(table());
    copies = current[0]?.copies ?? 1;
    return current;
  };
}

/** Returns the last measurement, eventually consistent, in the items in which it was written. */
export async function readMeasurements(table: Table, copy = 0): Promise<Measurement[]> {
  const items = await queryPageWithin(table, STATISTICS_READ_TIMEOUT_MS, {
    pk: STATISTICS_PARTITIONS[copy]!,
    from: '0',
    to: '9',
  });
  return items.map((item) => {
    const entries = Object.entries(item['endpoints'] as Record<string, Item>);
    return {
      measuredAtMs: Date.parse(item['measured_at'] as string),
      liveProviders: item['live_providers'] as string[] | undefined,
      copies: numberFrom(item['copies'] ?? 1),
      endpoints: Object.fromEntries(entries.map(([id, kept]) => [id, expanded(kept)])),
    };
  });
}

function compact({ uptimePercent: { last5m, last30m, last1d }, latencyMs, throughput }: EndpointStatistics): Item {
  return {
    uptime: [last5m, last30m, last1d],
    latency: measurementList(latencyMs),
    throughput: measurementList(throughput),
  };
}

function expanded({ uptime, latency, throughput }: Item): EndpointStatistics {
  const [last5m, last30m, last1d] = (uptime as unknown[]).map(numberOrNull) as [number, number, number];
  return {
    uptimePercent: { last5m, last30m, last1d },
    latencyMs: percentilesFrom(latency),
    throughput: percentilesFrom(throughput),
  };
}

function measurementList(percentiles: Percentiles | null): number[] | null {
  return percentiles && [percentiles.p50, percentiles.p75, percentiles.p90, percentiles.p99];
}

function percentilesFrom(stored: unknown): Percentiles | null {
  if (!Array.isArray(stored)) return null;
  const [p50, p75, p90, p99] = stored.map(Number) as [number, number, number, number];
  return { p50, p75, p90, p99 };
}

function numberOrNull(stored: unknown): number | null {
  return stored === null ? null : numberFrom(stored);
}
