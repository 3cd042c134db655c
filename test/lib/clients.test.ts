import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { configurations, type ClientConfiguration } from '../../lib/admin/clients/configurations.ts';
import { parseBaseUrl } from '../../lib/admin/command-line/arguments.ts';
import { modelFacts } from '../../lib/admin/clients/model-facts.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';

const run = promisify(execFile);
const MODEL = 'sandbox/gpt';

let gateway: GatewayClient;
/** Directory for programs, next to the packages that they import. */
const directory = mkdtempSync(join(import.meta.dirname, '../../node_modules/.clients-'));
beforeAll(async () => {
  gateway = await commonGateway();
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
});

const factsOf = (model: string) => modelFacts(readCatalogFiles(shippedCatalogDirectory), model);
const textOf = ({ text }: ClientConfiguration, model = MODEL) =>
  text({ baseUrl: gateway.baseUrl, model, facts: factsOf(model) });
const environment = () => ({ ...process.env, GATEWAY_KEY: gateway.key });
const named = (name: string) => configurations.find((one) => one.name === name)!;

function opencodeModel(model: string): unknown {
  const { provider } = JSON.parse(textOf(named('opencode'), model)) as OpencodeFile;
  return provider.gateway.models[model];
}

interface OpencodeFile {
  provider: { gateway: { models: Record<string, unknown> } };
}

describe('the address of a gateway on the command line', () => {
  it.each([
    ['https://gateway.example.com/v1', 'https://gateway.example.com/v1'],
    ['https://gateway.example.com/llm/v1/', 'https://gateway.example.com/llm/v1'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/v1'],
    ['http://127.0.0.1:8787/', 'http://127.0.0.1:8787/v1'],
  ])('%s means %s', (given, base) => {
    expect(parseBaseUrl(given)).toBe(base);
  });

  it.each([
    'gateway.example.com',
    'https://gateway.example.com/v1/messages',
    'https://gateway.example.com/llm',
    'https://gateway.example.com/v1?x=/v1',
    'https://gateway.example.com/v1#/v1',
    'ftp://gateway.example.com/v1',
    'https://$(id)/v1',
  ])('%s is refused with the accepted forms', (given) => {
    expect(() => parseBaseUrl(given)).toThrow(/ends with \/v1, such as https:\/\/gateway\.example\.com\/v1/);
  });
});

describe('the configuration to paste into a client', () => {
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

  it('opencode: has the attachments and token limits of a model', () => {
    expect(opencodeModel(MODEL)).toEqual({
      name: MODEL,
      tool_call: true,
      attachment: true,
      modalities: { input: ['text', 'image', 'pdf', 'audio'], output: ['text'] },
      limit: { context: 128_000, output: 16_384 },
    });
    expect(opencodeModel('sandbox/priced')).toMatchObject({ attachment: true });
    expect(opencodeModel('deepseek/deepseek-v4-pro')).toMatchObject({
      attachment: false,
      modalities: { input: ['text'], output: ['text'] },
    });
  });

  it('opencode: has no facts of a model that is not in the catalog', () => {
    expect(opencodeModel('nobody/knows')).toEqual({ name: 'nobody/knows', tool_call: true });
  });

  it('Codex and Claude Code: have the context window of the model, if known', () => {
    const [codex, claudeCode] = [named('codex'), named('claude-code')];

    expect(textOf(codex).split('\n')).toContain('model_context_window = 128000');
    expect(textOf(claudeCode).split('\n')).toContain('export CLAUDE_CODE_MAX_CONTEXT_TOKENS=128000');
    expect(textOf(codex, 'claude-sonnet-5').split('\n')).toContain('model_context_window = 1000000');
    expect(textOf(codex, 'nobody/knows')).not.toContain('window');
    expect(textOf(claudeCode, 'nobody/knows')).not.toContain('CONTEXT');
  });

  it('Codex: reads the model list of the gateway, but keeps its own instructions for models of OpenAI', () => {
    const codex = named('codex');

    expect(textOf(codex).split('\n')).toContain(`model_catalog_url = "${gateway.baseUrl}/models"`);
    expect(textOf(codex)).toMatch(/\n\n\[features\]\napi_key_model_discovery = true$/);
    expect(textOf(codex, 'openai/gpt-5.5')).not.toMatch(/model_catalog_url|features/);
  });

  it('Claude Code: has the model for each model variable of its agents', async () => {
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

  it('has no /v1 for clients of the Messages API, which append it themselves', () => {
    const appending = configurations.filter(({ api, name }) => api === 'messages' && name !== 'curl');

    expect(appending.map(({ name }) => name)).toEqual(['claude-code', 'n8n-anthropic', 'anthropic-typescript']);
    for (const one of appending) expect(textOf(one)).not.toContain('/v1');
  });

  it('has the model in the setting of each client except Open WebUI', () => {
    const without = configurations.filter((one) => !textOf(one).includes(MODEL)).map(({ name }) => name);

    // Open WebUI loads the list of the gateway's models, so its configuration names no model.
    expect(without).toEqual(['open-webui']);
  });

  it('has a unique name for each client', () => {
    expect(new Set(configurations.map(({ name }) => name)).size).toBe(configurations.length);
  });
});
