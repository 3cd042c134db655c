import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function writeDrillCatalog(
  directory: string,
  { providers, models }: { providers: object[]; models: object[] },
): void {
  mkdirSync(join(directory, 'models'), { recursive: true });
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(directory, 'models', 'drill.json'), JSON.stringify({ models, aliases: [] }));
}

/**
 * Returns a provider for the catalog of a drill.
 * @param more fields with the provider's address
 */
export const drillProvider = (id: string, more: object) => ({
  id,
  name: id,
  wire: 'anthropic',
  data_policy: { logs_prompts: false, trains_on_prompts: false },
  ...more,
});

export const drillEndpoint = (provider: string, prompt: string) => ({
  id: `drill/${provider}`,
  provider,
  upstream_model: 'claude',
  max_output_tokens: 10_000,
  pricing: { prompt, completion: '0.002' },
});

export const drillModel = (id: string, endpoints: object[]) => ({
  id,
  permaslug: `${id}-1`,
  name: id,
  created: '2026-11-20',
  context_length: 100_000,
  input_modalities: ['text'],
  output_modalities: ['text'],
  endpoints,
});
