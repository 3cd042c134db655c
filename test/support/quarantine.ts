/**
 * Tests that sometimes fail for a known cause that is not fixed yet (test/quarantine.json); a test run ignores their
 * failures.
 */

import { readFileSync } from 'node:fs';

/** A longer list could hide real failures. */
export const MAX_QUARANTINED = 5;

export interface QuarantinedTest {
  /** The test: its file, a colon, and its full name. */
  test: string;
  /** Date of the entry, for example 2026-11-27. */
  since: string;
  /** Cause of the failures, as far as it is known. */
  cause: string;
}

export const quarantinedTests = JSON.parse(
  readFileSync(new URL('../quarantine.json', import.meta.url), 'utf8'),
) as QuarantinedTest[];
