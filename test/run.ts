import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { commitSeed } from './support/commit-seed.ts';
import { quarantinedTests } from './support/quarantine.ts';

/**
 * Runs the whole test: types, lint, format, unused code, then the suite. The last line is "N passed, N failed", in
 * which each check counts as one test. With arguments, it runs only the selected tests, and the checks only in the
 * first shard.
 *
 * Runs of a commit use the same seed, unless TEST_SEED is set. Failures of tests in quarantine (test/quarantine.json)
 * are printed and not counted.
 */
const RESULTS = '.vitest/results.json';

interface SuiteResult {
  passed: number;
  failed: string[];
}

/** Members of vitest's JSON report that this file reads. */
interface VitestResults {
  numPassedTests: number;
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
}

process.env['TEST_SEED'] ??= String(commitSeed());
// The suite starts several hundred processes with the same code. With this cache, Node compiles the code only once.
const compileCache = resolve('.vitest/compile-cache');
process.env['NODE_COMPILE_CACHE'] ??= compileCache;

const selection = process.argv.slice(2);
/** Whether this process runs only one part of the suite, as with `--shard=1/4`. */
const isShard = selection.length === 1 && selection[0]!.startsWith('--shard=');
const isSuite = selection.length === 0 || isShard;
if (isSuite) rmSync(compileCache, { recursive: true, force: true });
const hasChecks = isSuite && (!isShard || selection[0]!.startsWith('--shard=1/'));
const CHECKS = ['typecheck', 'lint', 'format:check', 'unused'];
const checks = hasChecks ? await runChecks(CHECKS) : [];
const suite = runSuite(selection);

if (suite.failed.length > 0) {
  process.stdout.write(
    `\nTEST_SEED=${process.env['TEST_SEED']} npm test -- <file> repeats the random choices of this run.\n`,
  );
}
const inQuarantine = reportedQuarantine(suite.failed);
const failedChecks = CHECKS.filter((_, at) => checks[at] === false);
// Their reports stand before the suite's, which is long.
for (const name of failedChecks) process.stdout.write(`FAILED: npm run ${name}\n`);
const failed = suite.failed.length - inQuarantine + failedChecks.length;
process.stdout.write(`${suite.passed + checks.filter(Boolean).length} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Prints the tests in quarantine, and returns the number of failed tests among them. */
function reportedQuarantine(failedTests: string[]): number {
  const failures = quarantinedTests.map(({ test, since, cause }) => {
    const hasFailed = failedTests.includes(test);
    process.stdout.write(`In quarantine since ${since}, ${hasFailed ? 'FAILED' : 'passed'}: ${test} (${cause})\n`);
    return hasFailed;
  });
  return failures.filter(Boolean).length;
}

/** Runs checks concurrently, and returns whether each has passed, in the order of `names`. */
async function runChecks(names: string[]): Promise<boolean[]> {
  const outcomes = names.map(async (name) => {
    const child = spawn('npm', ['run', '-s', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [words, complaints, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { name, words: words + complaints, hasPassed: status === 0 };
  });
  const passed: boolean[] = [];
  for (const outcome of outcomes) {
    const { name, words, hasPassed } = await outcome;
    process.stdout.write(`> ${name}\n${words}`);
    passed.push(hasPassed);
  }
  return passed;
}

function runSuite(args: string[]): SuiteResult {
  rmSync(RESULTS, { force: true });
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    stdio: 'inherit',
  });
  const result = existsSync(RESULTS) ? resultFrom(readFileSync(RESULTS, 'utf8')) : { passed: 0, failed: [] };
  // If vitest fails without a failed test, the error belongs to no file, so the run itself counts as failed.
  return status !== 0 && result.failed.length === 0 ? { ...result, failed: ['the run itself'] } : result;
}

function resultFrom(json: string): SuiteResult {
  const { numPassedTests, testResults } = JSON.parse(json) as VitestResults;
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const file = relative(process.cwd(), name);
      const failures = assertionResults
        .filter((one) => one.status === 'failed')
        .map((one) => `${file}: ${one.fullName}`);
      // A file that could not be loaded has no failed test, so the file itself is listed.
      return failures.length > 0 ? failures : [file];
    });
  return { passed: numPassedTests, failed };
}
