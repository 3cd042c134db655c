/**
 * Measures the endpoints from the counted outcomes: uptime over five minutes, half an hour and a day, and speed over
 * half an hour. Outcomes are counted in slots of five minutes: "the last five minutes" are five to ten minutes, and "a
 * day" is up to an hour longer than a day.
 */

import type { EndpointStatistics } from '../catalog/endpoint-statistics.ts';
import { limitConcurrency } from '../platform/concurrency/concurrency-limit.ts';
import { writePoint } from '../store/statistics/endpoint-history.ts';
import {
  HOUR_MS,
  readHours,
  readSlot,
  SLOT_MS,
  writeHour,
  type EndpointSums,
  type HourSums,
} from '../store/statistics/endpoint-slots.ts';
import { STATISTICS_COPIES, writeMeasurement } from '../store/statistics/endpoint-statistics.ts';
import type { Table } from '../store/table/table.ts';
import { percentilesOf } from './histogram.ts';
import { summed } from './sums.ts';

/** Minimum number of requests for a measurement. */
const MIN_REQUESTS = 10;
/** Time in ms from the end of an hour until its sums are final. The day's measurement lacks later settlements. */
const HOUR_CLOSES_AFTER_MS = 10 * 60_000;
/** Maximum number of completed hours that one run adds up. */
const HOURS_A_RUN = 2;
const HALF_HOUR_MS = 30 * 60_000;
const HOURS_A_DAY = 24;
const POINTS_AT_ONCE = 20;
/** Minimum number of recent requests at which the measurement is stored in several copies. */
const BUSY_REQUESTS = 60_000;

interface Slot {
  slotMs: number;
  sums: [endpointId: string, EndpointSums][];
}

/**
 * Measures the endpoints, and stores the measurement.
 * @param liveProviders ids of the providers whose credential is set, or that need none; undefined if unknown
 * @returns the number of measured endpoints
 */
export async function measureEndpoints(table: Table, atMs: number, liveProviders?: readonly string[]): Promise<number> {
  const hours = await closedHours(table, atMs);
  const slots = await readSlots(table, firstSlot(atMs), atMs);
  const endpoints = measured(hours, slots, atMs);
  const copies = requestsSince(slots, atMs - SLOT_MS) < BUSY_REQUESTS ? 1 : STATISTICS_COPIES;
  await writeMeasurement(table, { measuredAtMs: atMs, endpoints, liveProviders, copies });
  return Object.keys(endpoints).length;
}

/** Returns the completed hours of the last day, and stores new ones. */
async function closedHours(table: Table, atMs: number): Promise<Map<string, HourSums>[]> {
  const current = slotStartMs(atMs, HOUR_MS);
  const hours = await readHours(table, current - HOURS_A_DAY * HOUR_MS, current);
  const over = Array.from({ length: HOURS_A_DAY }, (_, index) => current - (index + 1) * HOUR_MS);
  const missing = over.filter((hourMs) => isOver(hourMs, atMs) && !hours.has(hourMs));
  for (const hourMs of missing.slice(0, HOURS_A_RUN)) {
    const slots = await readSlots(table, hourMs, hourMs + HOUR_MS - 1);
    const sums = summed(slots.flatMap(({ sums }) => sums));
    // The hour is marked as complete last, so that a run that ends earlier is repeated.
    await writePoints(table, hourMs, sums);
    await writeHour(table, hourMs, sums);
    hours.set(hourMs, sums);
  }
  // Excludes incomplete hours, because their slots are read separately.
  return [...hours].filter(([hourMs]) => isOver(hourMs, atMs)).map(([, sums]) => sums);
}

/** Writes one data point for each endpoint that had enough requests in this hour. */
async function writePoints(table: Table, hourMs: number, sums: ReadonlyMap<string, EndpointSums>): Promise<void> {
  const inTurn = limitConcurrency(POINTS_AT_ONCE);
  const writes = [...sums].flatMap(([endpointId, of]) => {
    const uptimePercent = uptimeOf([of]);
    if (uptimePercent === null) return [];
    const latencyMs = percentilesOf(of.latencyMs, MIN_REQUESTS, 'low')?.p50 ?? null;
    const throughput = percentilesOf(of.throughput, MIN_REQUESTS, 'high')?.p50 ?? null;
    return inTurn(() => writePoint(table, endpointId, { hourMs, uptimePercent, latencyMs, throughput }));
  });
  await Promise.all(writes);
}

function isOver(hourMs: number, atMs: number): boolean {
  return hourMs + HOUR_MS + HOUR_CLOSES_AFTER_MS <= atMs;
}

/** Returns the start of the earliest hour that can still receive settlements. */
function firstOpenHour(atMs: number): number {
  const current = slotStartMs(atMs, HOUR_MS);
  return isOver(current - HOUR_MS, atMs) ? current : current - HOUR_MS;
}

/** Returns the start of the first slot to read: the first of the incomplete hours and of the last half hour. */
function firstSlot(atMs: number): number {
  return Math.min(firstOpenHour(atMs), slotStartMs(atMs - HALF_HOUR_MS, SLOT_MS));
}

async function readSlots(table: Table, fromMs: number, toMs: number): Promise<Slot[]> {
  const starts: number[] = [];
  for (let slotMs = fromMs; slotMs <= toMs; slotMs += SLOT_MS) starts.push(slotMs);
  return Promise.all(starts.map(async (slotMs) => ({ slotMs, sums: await readSlot(table, slotMs) })));
}

/** Returns the number of requests in the slots that end after a time. */
function requestsSince(slots: Slot[], fromMs: number): number {
  const sums = slots.filter(({ slotMs }) => slotMs + SLOT_MS > fromMs).flatMap((slot) => slot.sums);
  return sums.reduce((all, [, { requests }]) => all + requests, 0);
}

function measured(hours: Map<string, HourSums>[], slots: Slot[], atMs: number): Record<string, EndpointStatistics> {
  const since = (fromMs: number) =>
    summed(slots.filter(({ slotMs }) => slotMs + SLOT_MS > fromMs).flatMap(({ sums }) => sums));
  const [last5m, last30m, open] = [since(atMs - SLOT_MS), since(atMs - HALF_HOUR_MS), since(firstOpenHour(atMs))];
  const ids = new Set([...hours.flatMap((hour) => [...hour.keys()]), ...open.keys(), ...last30m.keys()]);
  const statistics = [...ids].toSorted().map((id): [string, EndpointStatistics] => {
    const recent = last30m.get(id);
    const day = [open.get(id), ...hours.map((hour) => hour.get(id))];
    return [
      id,
      {
        uptimePercent: {
          last5m: uptimeOf([last5m.get(id)]),
          last30m: uptimeOf([recent]),
          last1d: uptimeOf(day),
        },
        latencyMs: recent ? percentilesOf(recent.latencyMs, MIN_REQUESTS, 'low') : null,
        throughput: recent ? percentilesOf(recent.throughput, MIN_REQUESTS, 'high') : null,
      },
    ];
  });
  return Object.fromEntries(statistics);
}

/**
 * Returns the uptime in percent, rounded down, so that one failure in a million requests is not shown as 100 %. Returns
 * null if there are too few requests.
 */
function uptimeOf(parts: (HourSums | undefined)[]): number | null {
  const requests = parts.reduce((sum, part) => sum + (part?.requests ?? 0), 0);
  const failures = parts.reduce((sum, part) => sum + (part?.failures ?? 0), 0);
  return requests < MIN_REQUESTS ? null : Math.floor((10_000 * (requests - failures)) / requests) / 100;
}

function slotStartMs(atMs: number, lengthMs: number): number {
  return Math.floor(atMs / lengthMs) * lengthMs;
}
