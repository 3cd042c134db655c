/**
 * Tests that sometimes fail for a known cause that is not fixed yet (test/quarantine.json). A test run prints them with
 * their dates, and ignores their failures. The list is usually empty.
 */

import { readFileSync } from 'node:fs';

/** Maximum number of quarantined tests. A longer list could hide real failures. */
export const MAX_QUARANTINED = 5;

export interface QuarantinedTest {
  /** Name as a test run prints it: the file, a colon, the full name of the test. */
  test: string;
  /** Date of the entry, as 2026-11-27. */
  since: string;
  /** Cause of the failures, as far as it is known. */
  cause: string;
}

export const quarantinedTests = JSON.parse(
  readFileSync(new URL('../quarantine.json', import.meta.url), 'utf8'),
) as QuarantinedTest[];
