import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { hasCurl } from '../support/curl.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';

/** Pages with examples that a reader may paste into a new gateway. */
const pages = ['README.md', 'docs/api.md', 'docs/clients.md', 'docs/command-line.md'];
const blocks = pages.flatMap((page) =>
  readFileSync(page, 'utf8')
    .split('```')
    .filter((_, index) => index % 2 === 1),
);
/** The curl commands of the pages, one text each. */
const commands = blocks.flatMap((block) => block.split(/^(?=curl )/m).filter((part) => part.startsWith('curl ')));
const ADMIN = 'npm run admin -- ';
const adminLines = blocks.flatMap((block) => block.split('\n').filter((line) => line.startsWith(ADMIN)));
const programs = blocks.filter((block) => block.startsWith('ts\n'));

let gateway: RunningGateway;
let generationId: string;
let data: string;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'gateway-readme-'));
  gateway = await startGateway({ args: ['--data', data] });
  const ask = {
    model: 'sandbox/claude',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi\n@sandbox delay=0' }],
  };
  generationId = (await post(gateway, '/messages', ask)).headers.get('x-generation-id')!;
});
afterAll(async () => {
  await gateway.stop();
  rmSync(data, { recursive: true, force: true });
});

describe.skipIf(!hasCurl)('the getting-started pages', () => {
  it('have curl commands', () => expect(commands.length).toBeGreaterThan(4));

  it.each(commands)('have a working curl command: %s', async (command) => {
    const here = command.replaceAll('http://127.0.0.1:8787', gateway.anthropicUrl);
    const env = { ...process.env, GATEWAY_KEY: gateway.key, MANAGEMENT_KEY: gateway.managementKey };
    const { stdout } = await promisify(execFile)('bash', ['-c', here], {
      encoding: 'utf8',
      env: { ...env, GENERATION_ID: generationId },
    });
    expect(stdout).not.toBe('');
    expect(stdout).not.toContain('"type":"error"');
  });
});

describe('the getting-started pages for operators', () => {
  it('have commands', () => expect(adminLines.length).toBeGreaterThan(5));

  it.each(adminLines)('have a working command: %s', async (line) => {
    // Text in double quotes is one argument.
    const args = line
      .slice(ADMIN.length)
      .match(/"[^"]*"|\S+/g)!
      .map((part) => part.replaceAll('"', ''))
      // Files that a command writes are created outside of the checkout.
      .map((part, index, all) => (all[index - 1] === '--files' ? join(data, part) : part));

    const { code, out, err } = await adminHere(data, ...args);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toBe('');
  });

  it('have two programs', () => expect(programs).toHaveLength(2));

  it.each(programs)('have a program that prints an answer: %s', async (program) => {
    mkdirSync('.vitest', { recursive: true });
    const file = `.vitest/readme-${process.pid}.ts`;
    writeFileSync(file, program.slice('ts\n'.length).replaceAll('http://127.0.0.1:8787', gateway.anthropicUrl));

    const { stdout } = await promisify(execFile)(process.execPath, ['bin/node24.mjs', file], {
      encoding: 'utf8',
      env: { ...process.env, GATEWAY_KEY: gateway.key },
    });
    rmSync(file);

    expect(stdout).toContain('from the sandbox');
  });
});
