import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { variables } from '../../lambdas/platform/environment.ts';

export const shippedCatalog = new URL('../../lambdas/catalog/data/', import.meta.url).pathname;

export const sandboxAddresses = Object.values(variables).filter((name) => /^GATEWAY_SANDBOX_(.*_)?URL$/.test(name));

/** Variables other than credentials that an operator must set to serve every model. */
const operatorVariables = [
  'AZURE_OPENAI_BASE_URL',
  'OLLAMA_BASE_URL',
  'VLLM_BASE_URL',
  'TEI_BASE_URL',
  'YANDEX_FOLDER_ID',
  'SEARXNG_URL',
];

/** At this time, the prices of retired models have not ended. */
const SHIPPED_AT_MS = Date.UTC(2026, 10, 27);

/** Loads the shipped catalog with every model, and with the prices of one fixed day. */
export function loadShippedCatalog(): Catalog {
  const names = [...sandboxAddresses, ...operatorVariables];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = 'http://127.0.0.1:1';
  try {
    return loadCatalog().at(SHIPPED_AT_MS);
  } finally {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  }
}

/** Returns a text model in the form of a catalog file. */
export function textModel(id: string, endpoints: object[], more: object = {}): Record<string, unknown> {
  return {
    id,
    permaslug: `${id}-1`,
    name: id,
    created: '2026-11-20',
    context_length: 100_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: endpoints.map((endpoint, index) => ({
      id: `${id}/${index}`,
      upstream_model: 'm',
      max_output_tokens: 10_000,
      ...endpoint,
    })),
    ...more,
  };
}

export interface CatalogDirectory {
  path: string;
  remove: () => void;
}

function shippedProviders(): { id: string; quirks?: object }[] {
  const file = JSON.parse(readFileSync(join(shippedCatalog, 'providers.json'), 'utf8')) as {
    providers: { id: string; quirks?: object }[];
  };
  return file.providers;
}

export function shippedQuirks(providerId: string): object | undefined {
  return shippedProviders().find(({ id }) => id === providerId)?.quirks;
}

/** Writes a catalog of these models, with the shipped providers and the test's own. */
export function catalogDirectory(models: object[], providers: object[] = []): CatalogDirectory {
  const path = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  mkdirSync(join(path, 'models'));
  writeFileSync(join(path, 'providers.json'), JSON.stringify({ providers: [...shippedProviders(), ...providers] }));
  writeFileSync(join(path, 'models', 'test.json'), JSON.stringify({ models }));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
