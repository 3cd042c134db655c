/** Records the durations of the test files of the last run (`.vitest/results.json`) in test/durations.json. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { toolArguments } from '../lib/shared/tool-arguments.ts';

const DURATIONS_FILE = 'test/durations.json';
/** Test files that take less time than this have no entry in durations.json. */
const MIN_SECONDS = 5;

interface Results {
  testResults: { name: string; startTime: number; endTime: number }[];
}

toolArguments(
  `Usage: npm run test:durations

Records how long each test file of the last run of npm test took, in ${DURATIONS_FILE}.`,
  {},
);
const known = JSON.parse(readFileSync(DURATIONS_FILE, 'utf8')) as Record<string, number>;
const { testResults } = JSON.parse(readFileSync('.vitest/results.json', 'utf8')) as Results;
const measured = testResults.map(({ name, startTime, endTime }) => {
  return [relative(process.cwd(), name), Math.round((endTime - startTime) / 1_000)] as const;
});
const durations = Object.entries({ ...known, ...Object.fromEntries(measured) })
  .filter(([file, seconds]) => existsSync(file) && seconds >= MIN_SECONDS)
  .toSorted(([one], [other]) => one.localeCompare(other));
writeFileSync(DURATIONS_FILE, `${JSON.stringify(Object.fromEntries(durations), null, 2)}\n`);
process.stdout.write(
  `${measured.length} files were measured; ${durations.length} that take ${MIN_SECONDS} s or more are in ${DURATIONS_FILE}.\n`,
);
