import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { modalities } from '../../lambdas/catalog/schema.ts';

type Json = Record<string, unknown>;
const shipped = new URL('../../lambdas/catalog/data/', import.meta.url).pathname;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  cpSync(shipped, directory, { recursive: true });
  process.env['GATEWAY_SANDBOX_URL'] = 'http://127.0.0.1:1';
  process.env['GATEWAY_SANDBOX_CHAT_URL'] = 'http://127.0.0.1:1';
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  delete process.env['GATEWAY_SANDBOX_URL'];
  delete process.env['GATEWAY_SANDBOX_CHAT_URL'];
});

function edit(file: string, change: (content: { models: Json[]; providers: Json[]; aliases: Json[] }) => void): void {
  const path = join(directory, file);
  const content = JSON.parse(readFileSync(path, 'utf8')) as { models: Json[]; providers: Json[]; aliases: Json[] };
  change(content);
  writeFileSync(path, JSON.stringify(content));
}

describe('the catalog that comes with the code', () => {
  it('has 40 real models of 8 providers, and every modality', () => {
    const { models } = loadCatalog();
    const real = models.filter(({ id, aliasOf }) => !id.startsWith('sandbox/') && !aliasOf);
    const providers = new Set(real.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.id)));
    expect(real.length).toBeGreaterThanOrEqual(40);
    expect(providers.size).toBeGreaterThanOrEqual(8);
    const made = new Set(models.flatMap(({ data }) => data.output_modalities));
    expect([...made].toSorted()).toEqual([...modalities].toSorted());
  });

  it('resolves aliases to the model that answers', () => {
    expect(loadCatalog().find('anthropic/claude-sonnet-latest')?.aliasOf?.id).toBe('anthropic/claude-sonnet-5');
  });

  it('leaves out providers whose address is not set', () => {
    delete process.env['GATEWAY_SANDBOX_URL'];
    const catalog = loadCatalog();
    expect(catalog.find('sandbox/claude')).toBeUndefined();
    expect(catalog.find('sandbox/gpt')).toBeDefined();
  });
});

describe('a catalog with a mistake is refused, naming file and field', () => {
  const sandbox = 'models/sandbox.json';
  it.each<[string, string, Parameters<typeof edit>[1], RegExp]>([
    [
      'a duplicate model',
      sandbox,
      ({ models }) => models.push(models[0]!),
      /sandbox\.json: models\[\d+\]\.id: "sandbox\/claude" is used twice/,
    ],
    [
      'an unknown wire',
      'providers.json',
      ({ providers }) => Object.assign(providers[0]!, { wire: 'telex' }),
      /providers\.json: providers\[0\]\.wire/,
    ],
    [
      'a price that is no decimal',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!['pricing'] as Json, { prompt: '1e-7' }),
      /models\[0\]\.endpoints\[0\]\.pricing\.prompt: must be a plain decimal/,
    ],
    [
      'no price at all',
      sandbox,
      ({ models }) => delete (models[0]!['endpoints'] as Json[])[0]!['pricing'],
      /pricing: at least one endpoint of "sandbox\/claude" needs a price/,
    ],
    [
      'an impossible limit',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!, { max_output_tokens: 9_999_999 }),
      /max_output_tokens: 9999999 is more than the context of 200000 tokens/,
    ],
    [
      'a typo in a field',
      sandbox,
      ({ models }) => Object.assign(models[0]!, { contextlength: 5 }),
      /models\[0\]: Unrecognized key: "contextlength"/,
    ],
    [
      'an unknown provider',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!, { provider: 'nobody' }),
      /endpoints\[0\]\.provider: there is no provider "nobody"/,
    ],
    [
      'an alias of nothing',
      sandbox,
      ({ aliases }) => Object.assign(aliases[0]!, { target: 'a/b' }),
      /aliases\[0\]\.target: there is no model "a\/b"/,
    ],
  ])('%s', (_what, file, change, message) => {
    edit(file, change);
    expect(() => loadCatalog(directory)).toThrow(message);
  });

  it('a file that is not JSON', () => {
    writeFileSync(join(directory, 'models', 'broken.json'), '{');
    expect(() => loadCatalog(directory)).toThrow(/models\/broken\.json is not JSON/);
  });

  it('a directory that is not there', () => {
    expect(() => loadCatalog('/nowhere')).toThrow(/\/nowhere/);
  });
});
