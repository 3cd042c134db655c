import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { modalities } from '../../lambdas/catalog/modality.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { catalogDirectory, sandboxAddresses } from '../support/catalog.ts';

type Json = Record<string, unknown>;
const shipped = new URL('../../lambdas/catalog/data/', import.meta.url).pathname;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  cpSync(shipped, directory, { recursive: true });
  for (const name of sandboxAddresses) process.env[name] = 'http://127.0.0.1:1';
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  for (const name of sandboxAddresses) delete process.env[name];
});

type Content = { models: Json[]; providers: Json[]; aliases: Json[] };

const model = ({ models }: Content, id: string) => models.find((candidate) => candidate['id'] === id)!;
const provider = (providers: Json[], id: string) => providers.find((candidate) => candidate['id'] === id)!;
const endpoint = (content: Content, id: string) => (model(content, id)['endpoints'] as Json[])[0]!;

const video = (content: Content) => model(content, 'sandbox/filmmaker')['video'] as Json;

function edit(file: string, change: (content: Content) => void): void {
  const path = join(directory, file);
  const content = JSON.parse(readFileSync(path, 'utf8')) as Content;
  change(content);
  writeFileSync(path, JSON.stringify(content));
}

describe('the shipped catalog', () => {
  it('has at least 120 real models of 20 providers, at least 25 models with several endpoints, and every modality', () => {
    const { models } = loadCatalog();
    const real = models.filter(({ id, aliasOf }) => !id.startsWith('sandbox/') && !aliasOf);
    const providers = new Set(real.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.id)));
    expect(real.length).toBeGreaterThanOrEqual(120);
    expect(providers.size).toBeGreaterThanOrEqual(20);
    expect(real.filter(({ endpoints }) => endpoints.length > 1).length).toBeGreaterThanOrEqual(25);
    const made = new Set(models.flatMap(({ data }) => data.output_modalities));
    expect([...made].toSorted()).toEqual([...modalities].toSorted());
  });

  it('resolves aliases to the model that answers', () => {
    expect(loadCatalog().find('anthropic/claude-sonnet-latest')?.aliasOf?.id).toBe('anthropic/claude-sonnet-5.5');
  });

  it('leaves out providers without an address', () => {
    delete process.env[variables.sandboxUrl];
    const catalog = loadCatalog();
    expect(catalog.find('sandbox/claude')).toBeUndefined();
    expect(catalog.find('sandbox/gpt')).toBeDefined();
  });
});

describe('a catalog is refused with the file and field of a mistake, such as', () => {
  const sandbox = 'models/sandbox.json';
  it.each<[string, string, Parameters<typeof edit>[1], RegExp]>([
    [
      'images that no endpoint draws',
      sandbox,
      (content) => delete (endpoint(content, 'sandbox/sketcher')['quirks'] as Json)['modalities'],
      /output_modalities: no text endpoint of "sandbox\/sketcher" makes image/,
    ],
    [
      'images in messages that only an endpoint of the image routes draws',
      sandbox,
      (content) => {
        delete (endpoint(content, 'sandbox/sketcher')['quirks'] as Json)['modalities'];
        const id = 'sandbox/sketched-painting';
        const painter = { ...endpoint(content, 'sandbox/painter'), id, max_output_tokens: 8_192 };
        (model(content, 'sandbox/sketcher')['endpoints'] as Json[]).push(painter);
      },
      /output_modalities: no text endpoint of "sandbox\/sketcher" makes image/,
    ],
    [
      'speech that the model does not list',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/gpt'), { quirks: { modalities: ['audio'] } }),
      /quirks\.modalities: "sandbox\/gpt" itself does not list "audio"/,
    ],
    [
      'speech over a wire without it',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/bedrock'), { quirks: { modalities: ['audio'] } }),
      /quirks\.modalities: the wire "bedrock-converse" cannot express audio/,
    ],
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
      'a header that is not the catalog’s to set',
      'providers.json',
      ({ providers }) => Object.assign(provider(providers, 'yandex'), { headers: { authorization: 'x' } }),
      /providers\.json: providers\[\d+\]\.headers\.authorization: (Invalid key|is the gateway)/,
    ],
    [
      'tokens without their address',
      'providers.json',
      ({ providers }) => delete provider(providers, 'gigachat')['token_url'],
      /providers\.json: providers\[\d+\]\.token_url: is required for the scheme "gigachat-oauth"/,
    ],
    [
      'an endpoint that takes more than its model',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/claude'), { input_modalities: ['text', 'video'] }),
      /sandbox\.json: models\[0\]\.endpoints\[0\]\.input_modalities: "sandbox\/claude" itself does not list "video"/,
    ],
    [
      'a resolution of videos without a price',
      sandbox,
      (content) => delete (video(content)['price_per_second'] as Json)['768p'],
      /video\.price_per_second: must have a price of "768p"/,
    ],
    [
      'a price of videos that are not made',
      sandbox,
      (content) => Object.assign(video(content)['price_per_second'] as Json, { '8K': '1' }),
      /video\.price_per_second\.8K: must be one of the resolutions/,
    ],
    [
      'durations of a resolution that the model does not offer',
      sandbox,
      (content) => Object.assign(video(content), { durations_at: { '1080p': [5, 7] } }),
      /video\.durations_at\.1080p: 7 must be one of the durations/,
    ],
    [
      'a price that is not a decimal',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!['pricing'] as Json, { prompt: '1e-7' }),
      /models\[0\]\.endpoints\[0\]\.pricing\.prompt: must be a plain decimal/,
    ],
    [
      'a price that is a number',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!['pricing'] as Json, { prompt: 0.0003 }),
      /pricing\.prompt: must be a text of roubles, such as "0\.0003"/,
    ],
    [
      'a misspelt parameter',
      sandbox,
      ({ models }) => Object.assign(models[0]!, { supported_parameters: ['max_token'] }),
      /models\[0\]\.supported_parameters\[0\]: must be one of max_tokens, .*, not "max_token"/,
    ],
    [
      'a model without endpoints',
      sandbox,
      ({ models }) => Object.assign(models[0]!, { endpoints: [] }),
      /models\[0\]\.endpoints: must not be empty/,
    ],
    [
      'a name that is a number',
      sandbox,
      ({ models }) => Object.assign(models[0]!, { name: 5 }),
      /models\[0\]\.name: must be string, not number/,
    ],
    [
      'a model without a name',
      sandbox,
      ({ models }) => delete models[0]!['name'],
      /models\[0\]\.name: is required \(expected string\)/,
    ],
    [
      'no price at all',
      sandbox,
      ({ models }) => delete (models[0]!['endpoints'] as Json[])[0]!['pricing'],
      /pricing: at least one endpoint of "sandbox\/claude" needs pricing/,
    ],
    [
      'an impossible limit',
      sandbox,
      ({ models }) => Object.assign((models[0]!['endpoints'] as Json[])[0]!, { max_output_tokens: 9_999_999 }),
      /max_output_tokens: 9999999 must not be above the context of 200000 tokens/,
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
      'a route over an unknown provider',
      sandbox,
      ({ models }) => Object.assign(models[0]!, { routing: { order: ['sandbox-anthropic', 'nobody'] } }),
      /models\[0\]\.routing\.order\[1\]: there is no provider "nobody"/,
    ],
    [
      'an alias of nothing',
      sandbox,
      ({ aliases }) => Object.assign(aliases[0]!, { target: 'a/b' }),
      /aliases\[0\]\.target: there is no model "a\/b"/,
    ],
    [
      'a text model with a wire without messages',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/gpt'), { wire: 'rerank' }),
      /models\[1\]\.endpoints\[0\]\.wire: must be one of anthropic, openai-chat, .* for a text endpoint/,
    ],
    [
      'a reasoning model without thinks_by_default',
      sandbox,
      (content) => delete endpoint(content, 'sandbox/claude')['quirks'],
      /models\[0\]\.endpoints\[0\]\.quirks\.thinks_by_default: is required: true if "sandbox\/claude" thinks/,
    ],
    [
      'a quirk of another wire',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/gpt'), { quirks: { thinks_by_default: true } }),
      /models\[1\]\.endpoints\[0\]\.quirks\.thinks_by_default: the wire "openai-chat" does not have this quirk; its quirks are tokenizer, .*pdf_files, audio_files$/,
    ],
    [
      'a quirk of another wire on a provider',
      'providers.json',
      ({ providers }) => Object.assign(provider(providers, 'mistral'), { wire: 'anthropic' }),
      /providers\[\d+\]\.quirks\.tool_call_ids: the wire "anthropic" does not have this quirk; its quirks are tokenizer, /,
    ],
    [
      "a quirk of its provider's wire on an endpoint with another wire",
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/embedder'), { quirks: { pdf_files: true } }),
      /endpoints\[0\]\.quirks\.pdf_files: the wire "openai-embeddings" does not have this quirk; its quirks are .*max_inputs/,
    ],
    [
      'a quirk named like something that every object has',
      sandbox,
      (content) => Object.assign(endpoint(content, 'sandbox/gpt'), { quirks: { toString: true } }),
      /endpoints\[0\]\.quirks\.toString: the wire "openai-chat" does not have this quirk/,
    ],
    [
      'a quirk with a value that it cannot have',
      'providers.json',
      ({ providers }) => Object.assign(provider(providers, 'mistral'), { quirks: { system_role: 'boss' } }),
      /providers\[\d+\]\.quirks\.system_role: Invalid option/,
    ],
    [
      'a price without the fee that the provider charges for each request',
      'providers.json',
      ({ providers }) => Object.assign(provider(providers, 'gigachat'), { per_request_fee: true }),
      /models\[0\]\.endpoints\[0\]\.pricing\.request: is required, because the provider "gigachat" charges a fee for every request/,
    ],
    [
      'documents that no endpoint takes',
      'models/deepseek.json',
      (content) => Object.assign(content.models[0]!, { input_modalities: ['text', 'file'] }),
      /models\[0\]\.input_modalities\[1\]: no endpoint of "deepseek\/deepseek-v4\.1-flash" accepts PDF documents/,
    ],
    [
      'video that no wire carries',
      sandbox,
      (content) => Object.assign(model(content, 'sandbox/gpt'), { input_modalities: ['video', 'text'] }),
      /models\[1\]\.input_modalities\[0\]: no endpoint of "sandbox\/gpt" has a wire for video/,
    ],
    [
      'audio that no endpoint takes',
      sandbox,
      (content) => Object.assign(model(content, 'sandbox/claude'), { input_modalities: ['text', 'audio'] }),
      /models\[0\]\.input_modalities\[1\]: no endpoint of "sandbox\/claude" accepts recordings/,
    ],
    [
      'a default that the wire cannot express',
      sandbox,
      (content) => Object.assign(model(content, 'sandbox/claude'), { default_parameters: { presence_penalty: 1 } }),
      /models\[0\]\.endpoints\[0\]: "sandbox\/claude" has default_parameters\.presence_penalty/,
    ],
  ])('%s', (_what, file, change, message) => {
    edit(file, change);
    expect(() => loadCatalog(directory)).toThrow(message);
  });

  it('a file that is not JSON', () => {
    writeFileSync(join(directory, 'models', 'broken.json'), '{');
    expect(() => loadCatalog(directory)).toThrow(/models\/broken\.json is not JSON/);
  });

  it('a directory that does not exist', () => {
    expect(() => loadCatalog('/nowhere')).toThrow(/\/nowhere/);
  });
});

it('a catalog without models is refused', () => {
  const empty = catalogDirectory([]);

  expect(() => loadCatalog(empty.path)).toThrow('lists no model in models/*.json');
  empty.remove();
});
