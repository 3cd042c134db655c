import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Rooms whose tests leave nothing behind in their process: files of theirs share one, with all that it has imported. That is half
 * of their time. A test that sets a process up for itself, as those of workers and of the command line do, belongs to the others.
 */
const sharing = [
  'accounting',
  'admission',
  'catalog',
  'decisions',
  'http',
  'management',
  'messages',
  'money',
  'platform',
  'protection',
  'providers',
  'routing',
  'search',
  'statistics',
  'store',
].map((room) => `test/${room}/**/*.test.ts`);

export default defineConfig({
  test: {
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
    projects: [
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: sharing } },
      { extends: true, test: { name: 'sharing', include: sharing, isolate: false } },
    ],
  },
});
