/** Pages for operators: printed commands work, and the log lines that they name exist. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere, adminJson } from '../support/admin.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';

const runbooks = [
  'docs/operations.md',
  'docs/local.md',
  ...readdirSync('docs/operations').map((page) => join('docs/operations', page)),
]
  .map((page) => readFileSync(page, 'utf8'))
  .join('\n');

const sources = ['lambdas', 'lib', 'test/drills']
  .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

describe('log lines in the runbooks', () => {
  /** Commands in backticks begin with these words; other groups of lower-case words are log lines. */
  const commandWords = /^(?:npm|npx|aws|admin|update-table|accounts|catalog|counters|keys|generations|audit|top-ups) /;
  const inBackticks = [...runbooks.matchAll(/`([a-z][a-z-]*(?: [a-z'-]+)+)`/g)].map(([, words]) => words!);
  const inQuotes = [...runbooks.matchAll(/log line "([^"]+)"/g)].map(([, words]) => words!);
  const named = [...new Set([...inBackticks.filter((words) => !commandWords.test(words)), ...inQuotes])];

  it('are found in the pages', () => expect(named.length).toBeGreaterThan(10));

  it.each(named)('exist in the code: %s', (words) => {
    expect(sources).toContain(`'${words}'`);
  });
});

const ADMIN = 'npm run admin -- ';
const inBlocks = runbooks
  .split('```')
  .filter((_, index) => index % 2 === 1)
  .flatMap((block) => block.split('\n'))
  .filter((line) => line.startsWith(ADMIN))
  .map((line) => line.slice(ADMIN.length).replace(/\s+#.*$/, ''));
const inText = [...runbooks.matchAll(/`npm run admin -- ([^`]+)`/g)].map(([, line]) => line!);

/** Matches commands that are not run here: they need files of a deployment, or an empty database. */
const elsewhere = /^(?:restore|--table <new> verify) /;
const printed = [...new Set([...inBlocks, ...inText])].filter((line) => !elsewhere.test(line));

let data: string;
let gateway: RunningGateway;
const values: Record<string, string> = {};
let prepaid: string;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'gateway-runbooks-'));
  gateway = await startGateway({ args: ['--data', data] });
  const account = await adminJson(data, 'accounts', 'create', '--name', 'Runbook');
  prepaid = String((await adminJson(data, 'accounts', 'create', '--name', 'Paid', '--mode', 'prepaid'))['id']);
  await adminJson(data, 'keys', 'create', '--name', 'ivan');
  const answer = await post(gateway, '/messages', {
    model: 'sandbox/claude',
    max_tokens: 10,
    messages: [said('Hi', 'delay=0')],
  });
  const id = answer.headers.get('x-generation-id')!;
  await finalGeneration(gateway, id);
  Object.assign(values, {
    '<id>': String(account['id']),
    '<gen-… or req_…>': id,
    '<req_…>': id,
    '<name, label or hash>': 'ivan',
    '<ISO time>': '2026-11-01T00:00:00Z',
    '<period>': 'monthly',
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(data, { recursive: true, force: true });
});

/**
 * Splits a command line as a shell does, with values in place of placeholders, and without options that select a
 * deployment.
 */
function argumentsOf(line: string): string[] {
  const here = line.replace(/--table <\w+> /, '').replace(/--pepper-secret <arn> /, '');
  const filled = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), here);
  const words = filled.match(/(?:[^\s"]|"[^"]*")+/g)!.map((word) => word.replaceAll('"', ''));
  return /^accounts (?:top-up|refund)/.test(here) ? ['--account', prepaid, ...words] : words;
}

describe('commands in the runbooks', () => {
  it('are found in the pages', () => expect(printed.length).toBeGreaterThan(25));

  it.each(printed)(
    'work as they are printed: %s',
    async (line) => {
      const { code, err } = await adminHere(data, ...argumentsOf(line));

      expect(err).toBe('');
      expect(code).toBe(0);
    },
    20_000,
  );

  it('name the pepper in each command on AWS that needs it', () => {
    const onAws = printed.filter((line) => line.startsWith('--table'));
    const needing = onAws.filter((line) => /keys (?:create|rotate)|callback-secret/.test(line));

    expect(needing.length).toBeGreaterThan(1);
    expect(needing.filter((line) => !line.includes('--pepper-secret'))).toEqual([]);
  });
});
