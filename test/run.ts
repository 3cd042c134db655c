import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { commitSeed } from './support/commit-seed.ts';
import { leftToOthers, SHARES } from './support/recorded-durations.ts';

/**
 * The whole test: types, lint, format, unused code, then the suite. Ends with one line that counts, "N passed, N failed"; each check
 * counts as one test. With arguments, what they select of the suite and nothing else: somebody waits for one test.
 *
 * Few files that fail among all the others, on a machine that they keep busy, are run again by themselves, and that counts. Their tests
 * are named as unsteady, because each of them is to be mended. The long form (`TEST_LONG=1`) gives no test a second chance.
 */
const RESULTS = '.vitest/results.json';
/** Where more fail it is not for the machine. */
const MAX_FILES_AGAIN = 5;

interface SuiteResult {
  passed: number;
  failed: number;
  failedFiles: string[];
  failedTests: string[];
}

/** The file of vitest's JSON reporter, as far as it is read. */
interface VitestResults {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[];
}

process.env['TEST_SEED'] ??= String(commitSeed());
// Gateways and functions are some hundred processes of the same code, which is compiled once.
const compileCache = resolve('.vitest/compile-cache');
process.env['NODE_COMPILE_CACHE'] ??= compileCache;

const selection = process.argv.slice(2);
/** One of several runs that together test every file once, as `--shard=1/4`. */
const isShard = selection.length === 1 && selection[0]!.startsWith('--shard=');
const isSuite = selection.length === 0 || isShard;
if (selection.length === 0 && !process.env['TEST_LONG'])
  process.env['TEST_SHARE'] ??= shareOf(process.env['TEST_SEED']);
else delete process.env['TEST_SHARE'];
if (isSuite) rmSync(compileCache, { recursive: true, force: true });
const hasChecks = isSuite && (!isShard || selection[0]!.startsWith('--shard=1/'));
const checks = hasChecks ? await runChecks(['typecheck', 'lint', 'format:check', 'unused']) : [];
const suite = runSuite(selection);
const final = mayRunAgain(suite) ? afterSecondChance(suite) : suite;

if (suite.failed > 0) {
  process.stdout.write(
    `\nTEST_SEED=${process.env['TEST_SEED']} npm test -- <file> takes by chance what this run took.\n`,
  );
}
const left = leftToOthers(process.env['TEST_SHARE']).length;
if (left > 0)
  process.stdout.write(`\n${left} slow files were left to other commits; TEST_SHARE=all npm test runs all.\n`);
const failed = final.failed + checks.filter((hasPassed) => !hasPassed).length;
process.stdout.write(`${final.passed + checks.filter(Boolean).length} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** The share of slow files that a commit runs. */
function shareOf(seed: string): string {
  return String((Number(seed) % SHARES) + 1);
}

/** Runs checks beside each other, each with its words together. @returns which have passed */
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
  const result = existsSync(RESULTS) ? resultFrom(readFileSync(RESULTS, 'utf8')) : nothing();
  // A file that could not even be loaded has no failed test, and an error outside of all tests belongs to no file: both have failed.
  return status !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result;
}

function nothing(): SuiteResult {
  return { passed: 0, failed: 0, failedFiles: [], failedTests: [] };
}

function resultFrom(json: string): SuiteResult {
  const results = JSON.parse(json) as VitestResults;
  const failedFiles = results.testResults.filter(({ status }) => status === 'failed');
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests,
    failedFiles: failedFiles.map(({ name }) => relative(process.cwd(), name)),
    failedTests: failedFiles.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => `${relative(process.cwd(), name)}: ${fullName}`),
    ),
  };
}

function mayRunAgain({ failedFiles }: SuiteResult): boolean {
  return isSuite && !process.env['TEST_LONG'] && failedFiles.length > 0 && failedFiles.length <= MAX_FILES_AGAIN;
}

/** Runs the files that failed by themselves. @returns the result of both runs together */
function afterSecondChance(first: SuiteResult): SuiteResult {
  process.stdout.write(
    `\nThese files failed among the others, and are run by themselves: ${first.failedFiles.join(', ')}\n`,
  );
  const second = runSuite([...first.failedFiles, '--no-file-parallelism']);
  const steady = new Set(second.failedTests);
  const unsteady = first.failedTests.filter((name) => !steady.has(name));
  if (unsteady.length > 0) process.stdout.write(`\nUnsteady, to be mended:\n  ${unsteady.join('\n  ')}\n\n`);
  return { ...second, passed: first.passed + Math.max(0, first.failed - second.failed), failed: second.failed };
}
