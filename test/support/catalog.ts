import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { variables } from '../../lambdas/platform/environment.ts';

export const shippedCatalog = new URL('../../lambdas/catalog/data/', import.meta.url).pathname;

/** The variables with the addresses of the sandbox. */
export const sandboxAddresses = Object.values(variables).filter((name) => /^GATEWAY_SANDBOX_(.*_)?URL$/.test(name));

/** What an operator of everything sets besides credentials: addresses of his own, and what names of models are made of. */
const operatorVariables = [
  'AZURE_OPENAI_BASE_URL',
  'OLLAMA_BASE_URL',
  'VLLM_BASE_URL',
  'YANDEX_FOLDER_ID',
  'SEARXNG_URL',
];

/** Loads the shipped catalog with every model that is in it: as where an operator has set all its variables. */
export function loadShippedCatalog(): Catalog {
  const names = [...sandboxAddresses, ...operatorVariables];
  const before = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = 'http://127.0.0.1:1';
  try {
    return loadCatalog();
  } finally {
    for (const [index, name] of names.entries()) {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    }
  }
}

/** A text model as a catalog file has it, with the fields that a test is about. */
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

/** A catalog of these models beside the shipped providers, and those of the test's own. */
export function catalogDirectory(models: object[], providers: object[] = []): CatalogDirectory {
  const path = mkdtempSync(join(tmpdir(), 'gateway-catalog-'));
  const shipped = JSON.parse(readFileSync(join(shippedCatalog, 'providers.json'), 'utf8')) as { providers: object[] };
  mkdirSync(join(path, 'models'));
  writeFileSync(join(path, 'providers.json'), JSON.stringify({ providers: [...shipped.providers, ...providers] }));
  writeFileSync(join(path, 'models', 'test.json'), JSON.stringify({ models }));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
