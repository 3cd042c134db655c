import { describe, expect, it } from 'vitest';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { modelsFileSchema, providersFileSchema } from '../../lambdas/catalog/schema.ts';
import { regionWarnings } from '../../lib/admin/catalog/region-warnings.ts';
import { shippedCatalog } from '../support/catalog.ts';

const provider = (id: string, address: object) => ({
  id,
  name: id,
  wire: 'anthropic',
  ...address,
  data_policy: { logs_prompts: false, trains_on_prompts: false },
});
const { providers } = providersFileSchema.parse({
  providers: [
    provider('anthropic', { base_url: 'https://api.anthropic.example' }),
    provider('amazon', { base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com' }),
    provider('google', { base_url_variable: 'GOOGLE_URL' }),
    provider('openai', { base_url: 'https://eu.api.openai.com/v1' }),
  ],
});

const endpoint = (id: string, name: string, price: string) => ({
  id: `${id}/claude`,
  provider: id,
  upstream_model: name,
  pricing: { prompt: price, completion: '50' },
});

/** Returns the warnings about an endpoint, next to Anthropic's own endpoint at the price 10. */
function warnings(at: string, upstream_model: string, prompt: string, location = 'global', created = '2026-11-01') {
  const data = { id: 'anthropic/claude', permaslug: 'anthropic/claude', name: 'Claude', created };
  const [model] = modelsFileSchema.parse({
    models: [
      {
        ...data,
        input_modalities: ['text'],
        output_modalities: ['text'],
        endpoints: [endpoint('anthropic', 'claude', '10'), endpoint(at, upstream_model, prompt)],
      },
    ],
  }).models;
  const address = `https://aiplatform.googleapis.com/v1/projects/p/locations/${location}`;
  return regionWarnings(model!, providers, (name) => (name === 'GOOGLE_URL' ? address : undefined));
}

describe('an endpoint in a region that costs more', () => {
  it.each([
    ['amazon', 'eu.anthropic.claude-sonnet-5', 'global', 'eu'],
    ['amazon', 'us.openai.gpt-6-sol', 'global', 'us'],
    ['amazon', 'us.moonshotai.kimi-k3', 'global', 'us'],
    ['google', 'claude-sonnet-5', 'europe-west1', 'europe-west1'],
    ['google', 'gemini-3.8-flash', 'us-central1', 'us-central1'],
    ['openai', 'gpt-6-sol', 'global', 'eu'],
  ])('gets a warning at %s for %s in %s', (at, name, location, region) => {
    const [warning, ...more] = warnings(at, name, '10', location);

    expect(warning).toContain(`${at}/claude: the region "${region}" costs 10% more than anthropic/claude`);
    expect(more).toEqual([]);
    expect(warnings(at, name, '11', location)).toEqual([]);
  });

  it.each([
    ['amazon', 'global.anthropic.claude-sonnet-5'],
    ['amazon', 'anthropic.claude-sonnet-5'],
    ['amazon', 'us.meta.llama3-3-70b-instruct-v1:0'],
    ['amazon', 'openai.gpt-oss-120b-1:0'],
    ['amazon', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['google', 'claude-sonnet-5'],
  ])('gets no warning at %s for %s', (at, name) => {
    expect(warnings(at, name, '10')).toEqual([]);
  });

  it('gets no warning at OpenAI for a model from before 5 March 2026', () => {
    expect(warnings('openai', 'gpt-5.3-codex', '10', 'global', '2026-02-05')).toEqual([]);
  });

  it('is not in the shipped catalog', () => {
    const files = readCatalogFiles(shippedCatalog);
    const address = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google';

    expect(files.models.flatMap((model) => regionWarnings(model, files.providers, () => address))).toEqual([]);
  });
});
