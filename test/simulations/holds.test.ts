import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLongForm, repeated } from '../support/long-runs.ts';
import { holdPlot } from './hold-plot.ts';
import { simulateHolds } from './hold-simulation.ts';

const SEEDS = repeated(10, { ofWhichAlways: 1 });
/** Only the long form simulates the full rate, whose figures are in the documentation. */
const NIGHT_RATE = repeated(2_000, { ofWhichAlways: 500 });
const busy = { perSecond: 2_000, seconds: repeated(5, { ofWhichAlways: 0.5 }) };

/** The timeout is long, because a simulation that timed out and continued to run would disturb the next one. */
const TIMES = { timeout: 900_000 };

describe('a key with a limit', TIMES, () => {
  it('is held for two thousand requests a second, most of them within 50 ms, and its counter is exact', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { refused, p95Ms, counted, settled, held } = await simulateHolds({ seed, ...busy, hasParts: true });

      expect(refused).toBeLessThan(0.01);
      expect(p95Ms).toBeLessThan(50);
      expect([counted, held]).toEqual([settled, '0']);
    }
  });

  it('refuses more than 5 % of 120 requests per second if its counter has no parts', async () => {
    const { refused, counted, settled, held } = await simulateHolds({
      seed: 1,
      perSecond: 120,
      seconds: 1,
      hasParts: false,
    });

    expect(refused).toBeGreaterThan(0.05);
    expect([counted, held]).toEqual([settled, '0']);
  });

  it('is leased by twenty servers, and most requests do not wait', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { refused, p95Ms, counted, settled, held } = await simulateHolds({
        seed,
        ...busy,
        hasParts: true,
        servers: 20,
      });

      expect([refused, p95Ms]).toEqual([0, 0]);
      expect([counted, held]).toEqual([settled, '0']);
    }
  });

  it.each([
    { by: 'functions', servers: 0, withinMs: 500 },
    { by: 'servers', servers: NIGHT_RATE / 100, withinMs: 200 },
  ])('refuses nothing in the second after midnight, with holds by $by', async ({ servers, withinMs }) => {
    const night = { perSecond: NIGHT_RATE, seconds: 1, hasParts: true, isMidnight: true, servers };
    const { refused, p95Ms, counted, settled, held } = await simulateHolds({ seed: 1, ...night });

    expect(refused).toBe(0);
    expect(p95Ms).toBeLessThan(withinMs);
    expect([counted, held]).toEqual([settled, '0']);
  });

  // A plot takes many times as long as the tests above.
  it.runIf(isLongForm)('is held as in the plot of the documentation', async () => {
    const shown = readFileSync(new URL('../../docs/holds.svg', import.meta.url), 'utf8');
    expect(await holdPlot(), 'npm run simulate writes the plot again').toBe(shown);
  });
});
