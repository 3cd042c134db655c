import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
    // Tests run on a person's machine, as `npm start` does.
    env: { GATEWAY_LOCAL: '1' },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Much of a test's time is waiting, so twice the two cores that there are at least; beyond that they would only wait for
    // each other, because tests start gateways and databases of their own.
    maxWorkers: 4,
    fileParallelism: true,
    sequence: { sequencer: LongestFirst },
  },
});
