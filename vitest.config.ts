import { defineConfig } from 'vitest/config';
import { ByDuration } from './test/support/by-duration.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

/**
 * Test folders whose tests leave no changes in their process. Their files share processes and the loaded modules, which
 * saves a quarter of the time of all tests.
 */
const rooms = [
  'accounting',
  'admission',
  'alerts',
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
 * Test files that change their process: its environment, or the secrets that it caches. The pattern also matches files
 * that need an unchanged environment. For example, drills would otherwise use the table of other tests, whose books are
 * not settled.
 */
const settingUp = 'test/**/*.own.test.ts';

const sharing = { include: rooms.map((room) => `test/${room}/**/*.test.ts`), exclude: [settingUp] };

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/same-seed.ts', 'test/support/same-day.ts'],
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
    // Tests run with the settings of a local gateway, to which no catalog is published.
    env: { GATEWAY_LOCAL: '1', GATEWAY_PUBLICATIONS_DIRECTORY: '/nowhere' },
    // The timeouts end tests that hang. They are long, because a busy machine may be slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Tests mostly wait, so there are more workers than cores. Even more workers would wait for each other, because
    // tests start gateways and databases.
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
