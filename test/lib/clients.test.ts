import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configurations, type ClientConfiguration } from '../../lib/clients/configurations.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const MODEL = 'sandbox/gpt';

let gateway: RunningGateway;
/** Beside the packages that the texts import. */
const directory = mkdtempSync(join(import.meta.dirname, '../../node_modules/.clients-'));
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const textOf = ({ text }: ClientConfiguration) => text({ baseUrl: gateway.baseUrl, model: MODEL });
const environment = () => ({ ...process.env, GATEWAY_KEY: gateway.key });
const named = (name: string) => configurations.find((one) => one.name === name)!;

describe('what is pasted into a client', () => {
  it.each(configurations.filter(({ where }) => where.includes('.ts')))('$title: runs', async (configuration) => {
    const file = join(directory, `${configuration.name}.mjs`);
    writeFileSync(file, textOf(configuration));

    const { stdout } = await run(process.execPath, [file], { env: environment() });

    expect(stdout).toMatch(/Hello from the sandbox/);
  });

  it('curl: runs', async () => {
    const { stdout } = await run('bash', ['-c', textOf(named('curl'))], { env: environment() });

    expect(stdout).toMatch(/Hello from the sandbox/);
  });

  it('opencode: is JSON, which names the model twice', () => {
    const { model, small_model: small } = JSON.parse(textOf(named('opencode'))) as Record<string, string>;

    expect([model, small]).toEqual([`gateway/${MODEL}`, `gateway/${MODEL}`]);
  });

  it('Claude Code: has the model for each name by which its agents ask for one', async () => {
    const exported = textOf(named('claude-code')).replace(/\nclaude$/, '\nenv');
    const { stdout } = await run('bash', ['-c', exported], { env: environment() });

    for (const alias of ['HAIKU', 'SONNET', 'OPUS'])
      expect(stdout).toContain(`ANTHROPIC_DEFAULT_${alias}_MODEL=${MODEL}\n`);
  });

  it.each(configurations)('$title: names the address, and no key', (configuration) => {
    const text = textOf(configuration);

    expect(text).toContain(new URL(gateway.baseUrl).host);
    expect(text).not.toContain('sk-mg-');
    expect(text).toContain('GATEWAY_KEY');
  });

  it('has the model where the client asks for one', () => {
    const without = configurations.filter((one) => !textOf(one).includes(MODEL)).map(({ name }) => name);

    // It shows all that the gateway lists.
    expect(without).toEqual(['open-webui']);
  });

  it('has a name of its own for each client', () => {
    expect(new Set(configurations.map(({ name }) => name)).size).toBe(configurations.length);
  });
});
