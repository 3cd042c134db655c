import { defineConfig } from 'vitest/config';
import { ByDuration } from './test/support/by-duration.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/**
 * Rooms whose tests leave nothing behind in their process: files of theirs share one, with all that it has imported. That is a
 * quarter of the time of all tests.
 */
const rooms = [
  'accounting',
  'admission',
  'api',
  'attacks',
  'books',
  'catalog',
  'client-apis',
  'conformance',
  'decisions',
  'faults',
  'history',
  'http',
  'inference',
  'journeys',
  'lib',
  'management',
  'messages',
  'money',
  'openapi',
  'platform',
  'protection',
  'providers',
  'routing',
  'search',
  'server',
  'simulations',
  'statistics',
  'store',
  'strict',
  'videos',
];

/**
 * Files in them that set their process up for themselves: its environment, or the secrets that a process reads once. And files that need an
 * environment which no other has set: drills would use a table of other tests, whose books are in the middle of something.
 */
const settingUp = 'test/**/*.own.test.ts';

const sharing = { include: rooms.map((room) => `test/${room}/**/*.test.ts`), exclude: [settingUp] };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/same-seed.ts'],
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
    // Tests run on a person's machine, as `npm start` does; nothing is published there.
    env: { GATEWAY_LOCAL: '1', GATEWAY_PUBLICATIONS_DIRECTORY: '/nowhere' },
    // What hangs ends; a machine that is busy with other things is slower than that by far.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Much of a test's time is waiting, so twice the two cores that there are at least; beyond that they would only wait for each
    // other, because tests start gateways and databases of their own.
    maxWorkers: 6,
    fileParallelism: true,
    sequence: { sequencer: ByDuration },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/*.test.ts', 'test/templates/**/*.test.ts', 'test/workers/**/*.test.ts', settingUp],
        },
      },
      {
        extends: true,
        // Node loads these modules itself, which takes a fifth less CPU. Only `vi.mock` and `vi.resetModules` need Vitest's loader.
        test: {
          name: 'sharing',
          ...sharing,
          isolate: false,
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
    ],
  },
});
