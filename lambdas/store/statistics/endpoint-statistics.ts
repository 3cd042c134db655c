import type { EndpointStatistics, Percentiles } from '../../catalog/endpoint-statistics.ts';
import { queryPageWithin } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

export interface Measurement {
  measuredAtMs: number;
  endpoints: Record<string, EndpointStatistics>;
  /** Ids of the providers whose credential is set; undefined if the credentials could not be read. */
  liveProviders: readonly string[] | undefined;
}

const STATISTICS_PARTITION = 'HEALTH#STATISTICS';
const KEEP_STATISTICS_MS = 60 * 60_000;
/** Maximum number of endpoints per item, so that the item stays below 400 KB. */
const ENDPOINTS_IN_ITEM = 1_000;
const STATISTICS_READ_TIMEOUT_MS = 1_000;

/** Replaces the last measurement, in as few items as possible, usually one. */
export async function writeMeasurement(table: Table, measurement: Measurement): Promise<void> {
  const { measuredAtMs, endpoints, liveProviders } = measurement;
  const entries = Object.entries(endpoints).map(([id, statistics]) => [id, compact(statistics)] as const);
  for (let part = 0; part === 0 || part * ENDPOINTS_IN_ITEM < entries.length; part += 1) {
    const item = {
      pk: STATISTICS_PARTITION,
      sk: String(part),
      entity: 'endpoint_statistics',
      measured_at: new Date(measuredAtMs).toISOString(),
      live_providers: liveProviders,
      endpoints: Object.fromEntries(entries.slice(part * ENDPOINTS_IN_ITEM, (part + 1) * ENDPOINTS_IN_ITEM)),
      [TTL_ATTRIBUTE]: Math.ceil((measuredAtMs + KEEP_STATISTICS_MS) / 1_000),
    };
    await writeAlone(table, put(table, item));
  }
}

/**
 * Returns the last measurement, in the parts in which it was written.
 *
 * Cost: one page, eventually consistent.
 */
export async function readMeasurements(table: Table): Promise<Measurement[]> {
  const items = await queryPageWithin(table, STATISTICS_READ_TIMEOUT_MS, {
    pk: STATISTICS_PARTITION,
    from: '0',
    to: '9',
  });
  return items.map((item) => {
    const entries = Object.entries(item['endpoints'] as Record<string, Item>);
    return {
      measuredAtMs: Date.parse(item['measured_at'] as string),
      liveProviders: item['live_providers'] as string[] | undefined,
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
