/** Hourly measurements of each endpoint over thirty days. An hour with too few requests has no point. */

import { HOUR_MS } from './endpoint-slots.ts';
import { queryPageWithin } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

/** Measurements of one endpoint in one hour. A value is null if there were too few requests to measure it. */
export interface EndpointPoint {
  hourMs: number;
  uptimePercent: number | null;
  /** Median time to the first event in ms. */
  latencyMs: number | null;
  /** Median speed of complete answers, in tokens per second. */
  throughput: number | null;
}

const POINTS_KEPT_MS = 30 * 24 * HOUR_MS;
const HISTORY_READ_TIMEOUT_MS = 1_000;

/** Replaces the point of the hour. */
export async function writePoint(table: Table, endpointId: string, point: EndpointPoint): Promise<void> {
  const { hourMs, uptimePercent, latencyMs, throughput } = point;
  const item = {
    pk: historyPartition(endpointId),
    sk: new Date(hourMs).toISOString(),
    entity: 'endpoint_point',
    uptime: uptimePercent,
    latency: latencyMs,
    throughput,
    [TTL_ATTRIBUTE]: Math.ceil((hourMs + POINTS_KEPT_MS) / 1_000),
  };
  await writeAlone(table, put(table, item));
}

/** Returns the points of the last thirty days, oldest first, eventually consistent. */
export async function readPoints(table: Table, endpointId: string, atMs: number): Promise<EndpointPoint[]> {
  const items = await queryPageWithin(table, HISTORY_READ_TIMEOUT_MS, {
    pk: historyPartition(endpointId),
    from: new Date(atMs - POINTS_KEPT_MS).toISOString(),
    to: new Date(atMs).toISOString(),
  });
  return items.map((item) => ({
    hourMs: Date.parse(item['sk'] as string),
    uptimePercent: measuredOrNull(item['uptime']),
    latencyMs: measuredOrNull(item['latency']),
    throughput: measuredOrNull(item['throughput']),
  }));
}

function historyPartition(endpointId: string): string {
  return `HEALTH#HISTORY#${endpointId}`;
}

function measuredOrNull(stored: unknown): number | null {
  return stored === null || stored === undefined ? null : numberFrom(stored);
}
