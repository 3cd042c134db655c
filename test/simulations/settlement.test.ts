import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { queueWorkers } from '../../lambdas/routes.ts';
import { isLongForm, repeated } from '../support/long-runs.ts';
import { settlementPlot } from './settlement-plot.ts';
import { simulateSettlement, type SettlementScenario } from './settlement-simulation.ts';

const SEEDS = repeated(10, { ofWhichAlways: 1 });

const workers = queueWorkers['finalize-cost'].maxConcurrency;
const busy = { workers, keys: 50, seconds: repeated(10, { ofWhichAlways: 1 }) };

async function runs(scenario: Omit<SettlementScenario, 'seed'>) {
  const all = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) all.push(await simulateSettlement({ seed, ...scenario }));
  return all;
}

/** The timeout is long, because a simulation that timed out and continued to run would disturb the next one. */
const TIMES = { timeout: 900_000 };

describe('an account without limits', TIMES, () => {
  it('settles two thousand requests a second and more, and its counter is exact', async () => {
    for (const { perSecond, conflicts, counted, settled } of await runs({ ...busy, isLimited: false })) {
      expect(perSecond).toBeGreaterThanOrEqual(2_000);
      expect(conflicts).toBeLessThan(0.2);
      expect(counted).toBe(settled);
    }
  });

  it('settles two thousand requests a second and more with one key', async () => {
    for (const { perSecond, counted, settled } of await runs({ ...busy, keys: 1, isLimited: false })) {
      expect(perSecond).toBeGreaterThanOrEqual(2_000);
      expect(counted).toBe(settled);
    }
  });
});

describe('an account with limits and without parts', TIMES, () => {
  it('settles fewer than 1,500 requests a second, and at least 85 % of the rate of half as many workers', async () => {
    const [all, half] = [
      await runs({ ...busy, isLimited: true }),
      await runs({ ...busy, workers: workers / 2, isLimited: true }),
    ];
    for (const [index, { perSecond, counted, settled }] of all.entries()) {
      expect(perSecond).toBeGreaterThan(0.85 * half[index]!.perSecond);
      expect(perSecond).toBeLessThan(1_500);
      expect(counted).toBe(settled);
    }
  });
});

// The plot takes many times as long as the tests above.
it.runIf(isLongForm)('the simulation of settlements equals the plot of the documentation', async () => {
  const shown = readFileSync(new URL('../../docs/settlement.svg', import.meta.url), 'utf8');
  expect(await settlementPlot(), 'npm run simulate writes the plot again').toBe(shown);
});
