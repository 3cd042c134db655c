import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MAX_QUARANTINED, quarantinedTests } from './support/quarantine.ts';

it('the quarantine has few tests, each with its file, its day and its cause', () => {
  expect(quarantinedTests.length).toBeLessThanOrEqual(MAX_QUARANTINED);
  for (const { test, since, cause } of quarantinedTests) {
    expect(existsSync(test.slice(0, test.indexOf(': '))), test).toBe(true);
    expect(since).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(cause.length, test).toBeGreaterThan(10);
  }
});
