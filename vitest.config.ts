import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Tests start gateways and databases of their own: more workers than cores would only make them wait for each other.
    maxWorkers: 2,
    fileParallelism: true,
  },
});
