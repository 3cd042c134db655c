import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isLongForm, runSeed } from '../support/long-runs.ts';
import { History } from './history.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-history-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** `npm run history` has a longer history. */
it.runIf(isLongForm).each([true, false])(
  'half a minute of kills and table faults leaves books that add up (with the server: %s)',
  { timeout: 400_000 },
  async (hasServer) => {
    const { checks, starts, blows, seed } = await History.run({
      minutes: 0.5,
      seed: runSeed,
      hasServer,
      perSecond: 12,
      faults: 0.08,
      checkEvery: 5,
      directory: join(directory, String(hasServer)),
      say: () => undefined,
    });

    const differences = checks.flatMap((check) => check.differences);
    expect({ seed, twice: starts.twice, differences }).toEqual({ seed, twice: 0, differences: [] });
    expect(Object.keys(blows).length).toBeGreaterThan(0);
    expect(checks.at(-1)).toMatchObject({ reconciled: true, records: { pending: 0 }, leases: { open: 0 } });
  },
);
