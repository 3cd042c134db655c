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

it('knows nothing before the first reading, and what was measured after it', async () => {
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

it('reads every 30 seconds at most', async () => {
  const read = vi.fn(async () => measurement());
  const statistics = openStatistics(read, () => nowMs);
  for (const atMs of [0, 29_999, 30_000]) {
    nowMs = NOON + atMs;
    await statistics.refresh();
  }
  expect(read).toHaveBeenCalledTimes(2);
});

it('goes on with the last measurement while the table is away, until it says nothing about now', async () => {
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

it('knows which providers are live, while the measurement is new', async () => {
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
