import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openStatistics } from '../../lambdas/routing/statistics.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const some = { uptimePercent: { last5m: null, last30m: 99.5, last1d: 99.9 }, latencyMs: null, throughput: null };

let nowMs = NOON;
beforeEach(() => {
  nowMs = NOON;
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

const measurement = (endpoints = { 'acme/model': some }) => [
  { measuredAtMs: NOON, endpoints, liveProviders: ['acme'] },
];

it('statistics are unknown before the first read, and then those of the measurement', async () => {
  const statistics = openStatistics(
    async () => measurement(),
    () => nowMs,
  );
  expect(statistics.statisticsOf('acme/model')).toBeUndefined();
  await statistics.refresh();
  expect(statistics.statisticsOf('acme/model')).toEqual(some);
  expect(statistics.statisticsOf('acme/other')).toBeUndefined();
  expect(statistics.statisticsOf('constructor')).toBeUndefined();
});

it('statistics are read at most every 30 seconds', async () => {
  const read = vi.fn(async () => measurement());
  const statistics = openStatistics(read, () => nowMs);
  for (const atMs of [0, 29_999, 30_000]) {
    nowMs = NOON + atMs;
    await statistics.refresh();
  }
  expect(read).toHaveBeenCalledTimes(2);
});

it('statistics stay those of the last measurement while the table is unavailable, until they are too old', async () => {
  let isGone = false;
  const statistics = openStatistics(
    async () => (isGone ? Promise.reject(new Error('gone')) : measurement()),
    () => nowMs,
  );
  await statistics.refresh();
  isGone = true;
  nowMs += 5 * 60_000;
  await statistics.refresh();
  expect(statistics.statisticsOf('acme/model')).toEqual(some);
  nowMs += 5 * 60_000;
  expect(statistics.statisticsOf('acme/model')).toBeUndefined();
});

it('statistics have the live providers while the measurement is new', async () => {
  const statistics = openStatistics(
    async () => measurement(),
    () => nowMs,
  );
  expect(statistics.isLive('acme')).toBeUndefined();
  await statistics.refresh();
  expect([statistics.isLive('acme'), statistics.isLive('other')]).toEqual([true, false]);
  nowMs = NOON + 11 * 60_000;
  expect(statistics.isLive('acme')).toBeUndefined();
});
