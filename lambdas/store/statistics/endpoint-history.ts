/**
 * How each endpoint was doing in each hour of thirty days. A point is written when its hour is closed, and never changes; an hour with too few
 * requests has none. Nothing about money depends on it.
 */

import { HOUR_MS } from './endpoint-slots.ts';
import { queryPageWithin } from '../table/query.ts';
import { numberFrom, TTL_ATTRIBUTE, type Table } from '../table/table.ts';
import { writeAlone } from '../table/transact.ts';
import { put } from '../table/writes.ts';

/** One hour of an endpoint, as it was measured; null where there was too little to measure. */
export interface EndpointPoint {
  hourMs: number;
  /** Percent of the requests that did not fail. */
  uptimePercent: number | null;
  /** The median to the first event. */
  latencyMs: number | null;
  /** The median of complete answers, in tokens per second. */
  throughput: number | null;
}

const POINTS_KEPT_MS = 30 * 24 * HOUR_MS;
const HISTORY_READ_TIMEOUT_MS = 1_000;

/** Writes a point. A repetition writes the same. */
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

/** The points of the last thirty days, the oldest first. Cost: one page of 720 small items at most, eventually consistent. */
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
