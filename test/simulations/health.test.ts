import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readReports, writeReport } from '../../lambdas/store/statistics/endpoint-health.ts';
import { isLongForm, repeated } from '../support/long-runs.ts';
import { newTable } from '../support/table.ts';
import { healthPlot } from './health-plot.ts';
import { simulate, type Scenario, type Sent } from './health-simulation.ts';
import {
  failsAll,
  failsEverySecond,
  failsHalf,
  failsOnceInAThousand,
  flaps,
  RUN_MS,
  TROUBLE_BEGINS_MS,
  TROUBLE_ENDS_MS,
} from './troubles.ts';

const SEEDS = repeated(200, { ofWhichAlways: 20 });

/** Two instances with one request per second. */
const usual = { instances: 2, requestsPerSecond: 1, durationMs: RUN_MS };

async function runs(trouble: () => Scenario['fails'], more: Partial<Scenario> = {}, seeds = SEEDS): Promise<Sent[][]> {
  const all: Sent[][] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    all.push(await simulate({ seed, ...usual, fails: trouble(), ...more }));
  }
  return all;
}

const between = (sent: Sent[], fromMs: number, toMs: number) =>
  sent.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
const first = (sent: Sent[]) => sent.filter(({ isTroubledFirst }) => isTroubledFirst);
const shareOf = (all: Sent[][], holds: (sent: Sent[]) => boolean) => all.filter(holds).length / all.length;

/**
 * Returns the number of requests that first went to the failing endpoint. Only 27 seconds count, because the endpoint
 * may be tried first again half a minute after its last failure.
 */
const sentBeforeItWasOut = (sent: Sent[]) => first(between(sent, TROUBLE_BEGINS_MS, TROUBLE_BEGINS_MS + 27_000)).length;
const isOutWithinTen = (sent: Sent[]) => sentBeforeItWasOut(sent) <= 10;

const isBackWithinAMinute = (sent: Sent[]) =>
  between(sent, TROUBLE_ENDS_MS + 60_000, RUN_MS).every(({ isTroubledFirst }) => isTroubledFirst);

describe('an endpoint that fails every second request', () => {
  it.each([0.5, 1, 2])('leaves the first place within ten requests, always, at %s requests a second', async (rate) => {
    const all = await runs(failsEverySecond, { requestsPerSecond: rate });
    expect(Math.max(...all.map(sentBeforeItWasOut))).toBeLessThanOrEqual(10);
  });

  it('leaves the first place within two seconds with many requests', async () => {
    const all = await runs(failsEverySecond, { requestsPerSecond: 30, durationMs: 90_000 }, 20);
    const after = all.flatMap((sent) => between(sent, TROUBLE_BEGINS_MS + 2_000, TROUBLE_BEGINS_MS + 27_000));
    expect(first(after).length / after.length).toBeLessThan(0.01);
  });

  it('returns within a minute of its recovery, always', async () => {
    expect(shareOf(await runs(failsEverySecond), isBackWithinAMinute)).toBe(1);
  });

  it('leaves the first place and returns in time with a real table', async () => {
    const table = await newTable();
    const reports = {
      write: (report: Parameters<typeof writeReport>[1]) => writeReport(table, report),
      read: (range: Parameters<typeof readReports>[1]) => readReports(table, range),
    };
    const [sent] = await runs(failsEverySecond, { reports }, 1);
    expect(sentBeforeItWasOut(sent!)).toBeLessThanOrEqual(10);
    expect(isBackWithinAMinute(sent!)).toBe(true);
  });
});

describe('an endpoint that fails half of its requests, by chance', () => {
  it('leaves the first place within ten requests in at least 95 of 100 runs', async () => {
    expect(shareOf(await runs(failsHalf), isOutWithinTen)).toBeGreaterThanOrEqual(0.95);
  });

  it('returns within a minute of its recovery, always', async () => {
    expect(shareOf(await runs(failsHalf), isBackWithinAMinute)).toBe(1);
  });
});

describe('an endpoint that fails all of its requests', () => {
  it('leaves the first place within ten requests, and is tried first for less than 12 % of later requests', async () => {
    const all = await runs(failsAll);
    expect(shareOf(all, isOutWithinTen)).toBe(1);
    const later = all.flatMap((sent) => between(sent, TROUBLE_BEGINS_MS + 30_000, TROUBLE_ENDS_MS));
    expect(first(later).length / later.length).toBeLessThan(0.12);
    expect(first(later).length).toBeGreaterThan(0);
  });
});

describe('an endpoint that alternately fails and works for fifteen seconds', () => {
  it('is tried first for less than 35 % of the requests while it fails', async () => {
    const all = await runs(flaps);
    const bad = all.flatMap((sent) =>
      between(sent, TROUBLE_BEGINS_MS, TROUBLE_ENDS_MS).filter(({ atMs }) => Math.floor(atMs / 15_000) % 2 === 0),
    );
    expect(first(bad).length / bad.length).toBeLessThan(0.35);
  });
});

describe('an endpoint that fails one request of a thousand', () => {
  it.each([
    ['two instances', { instances: 2, requestsPerSecond: 50, durationMs: 120_000 }],
    // With many instances, each instance alone observes few failures.
    ['two hundred instances', { instances: 200, requestsPerSecond: 50, durationMs: 120_000 }],
  ])('keeps the first place, over %s', async (_name, traffic) => {
    const sent = (await runs(failsOnceInAThousand, traffic, 3)).flat();
    expect(first(sent).length / sent.length).toBeGreaterThan(0.99);
  });
});

// A plot takes many times as long as the tests above.
it.runIf(isLongForm)('the simulation of health equals the plot of the documentation', async () => {
  const shown = readFileSync(new URL('../../docs/health.svg', import.meta.url), 'utf8');
  expect(await healthPlot(), 'npm run simulate writes the plot again').toBe(shown);
});
