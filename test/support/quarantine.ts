/**
 * Tests with a known, unfixed cause of occasional failures (test/quarantine.json). A run prints them with their dates,
 * and does not count their failures. The list is usually empty.
 */

import { readFileSync } from 'node:fs';

/** More would hide real failures. */
export const MAX_QUARANTINED = 5;

export interface QuarantinedTest {
  /** As printed by a run: the file, a colon, the full name. */
  test: string;
  /** Date of the entry, as 2026-11-27. */
  since: string;
  /** The cause, as far as it is known. */
  cause: string;
}

export const quarantinedTests = JSON.parse(
  readFileSync(new URL('../quarantine.json', import.meta.url), 'utf8'),
) as QuarantinedTest[];
