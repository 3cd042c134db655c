import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { existsSync, readFileSync, rmSync } from 'node:fs';

/**
 * The whole test: types, lint, format, unused code, then the suite. Ends with one line that counts, "N passed, N failed"; each check
 * counts as one test. With arguments, what they select of the suite and nothing else: somebody waits for one test.
 */
const RESULTS = '.vitest/results.json';
const selection = process.argv.slice(2);
const checks = selection.length > 0 ? [] : ['typecheck', 'lint', 'format:check', 'unused'];

let passed = 0;
let failed = 0;

// Beside each other, each with its words together.
const outcomes = checks.map(async (check) => {
  const child = spawn('npm', ['run', '-s', check], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [words, complaints, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { check, words: words + complaints, hasPassed: status === 0 };
});
for (const outcome of outcomes) {
  const { check, words, hasPassed } = await outcome;
  process.stdout.write(`> ${check}\n${words}`);
  if (hasPassed) passed += 1;
  else failed += 1;
}

rmSync(RESULTS, { force: true });
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...selection], {
  stdio: 'inherit',
});
if (existsSync(RESULTS)) {
  const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as { numPassedTests: number; numFailedTests: number };
  passed += results.numPassedTests;
  failed += results.numFailedTests;
}
// A suite that could not even be loaded has no failed test, but it has failed.
if (status !== 0 && failed === 0) failed += 1;

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
