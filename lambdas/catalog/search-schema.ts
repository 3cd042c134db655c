/** `search.json` has the price of a search, and its backends in the order of attempts. */

import * as z from 'zod';
import { CatalogError } from './catalog-error.ts';
import type { Located } from './check-models.ts';
import { price } from './price.ts';
import { dataPolicySchema, httpUrl, slug, variableName, type ModelData } from './schema.ts';

/** Settings that each kind of backend needs. `search/backends/` implements the kinds. */
const needs = {
  yandex: { credential: true, folder: true },
  brave: { credential: true, folder: false },
  tavily: { credential: true, folder: false },
  exa: { credential: true, folder: false },
  searxng: { credential: false, folder: false },
} as const;
export type SearchKind = keyof typeof needs;

const MAX_CATALOG_RESULTS = 20;

const backendSchema = z.strictObject({
  id: slug,
  name: z.string().min(1),
  kind: z.enum(Object.keys(needs) as [SearchKind, ...SearchKind[]]),
  base_url: httpUrl.optional(),
  /** Variable with the base URL. If it is unset, the catalog omits the backend. */
  base_url_variable: variableName.optional(),
  /** Name of the credential: a variable on a laptop, an entry of the provider-keys secret on AWS. */
  credential: variableName.optional(),
  /**
   * Folder in Yandex Cloud that pays for the searches. `{NAME}` stands for the value of the operator's variable NAME.
   */
  folder: z.string().min(1).optional(),
  /** Whether the backend is used only if no other backend has all its settings. */
  stand_in: z.boolean().optional(),
  data_policy: dataPolicySchema,
});
export type SearchBackendData = z.infer<typeof backendSchema>;

export const searchFileSchema = z.strictObject({
  /** Price of one search in roubles, the same for every model. */
  price,
  max_results: z.int().positive().max(MAX_CATALOG_RESULTS),
  backends: z.array(backendSchema).min(1).max(16),
});
export type SearchData = z.infer<typeof searchFileSchema>;

/**
 * Checks the rules of `search.json` that involve several fields.
 * @throws {CatalogError} naming the first invalid field
 */
export function checkSearch({ backends }: SearchData): void {
  const seen = new Set<string>();
  for (const [index, backend] of backends.entries()) {
    const place = `search.json: backends[${index}]`;
    if (seen.has(backend.id)) throw new CatalogError(`${place}.id: the backend "${backend.id}" is listed twice`);
    seen.add(backend.id);
    checkAddress(backend, place);
    for (const field of ['credential', 'folder'] as const) checkNeed(backend, field, place);
  }
}

function checkAddress({ base_url: url, base_url_variable: variable }: SearchBackendData, place: string): void {
  if ((url === undefined) === (variable === undefined)) {
    throw new CatalogError(`${place}: set exactly one of base_url and base_url_variable`);
  }
  if (url !== undefined && !isSafeAddress(url)) {
    throw new CatalogError(`${place}.base_url: must begin with https://, because queries and a key are sent there`);
  }
}

/** Whether a URL uses https, or its host is this machine. */
function isSafeAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function checkNeed(backend: SearchBackendData, field: 'credential' | 'folder', place: string): void {
  const isNeeded = needs[backend.kind][field];
  if (isNeeded === (backend[field] !== undefined)) return;
  throw new CatalogError(
    `${place}.${field}: ${isNeeded ? 'is required for' : 'must be left out of'} a backend of kind "${backend.kind}"`,
  );
}

/**
 * Checks that no endpoint has its own price for searches, because the gateway runs the searches of every model.
 * @throws {CatalogError} naming the first such price
 */
export function checkSearchPrices(models: Located<ModelData>[]): void {
  for (const { value: model, place } of models) {
    for (const [index, { pricing, service_cost: cost }] of model.endpoints.entries()) {
      const name = pricing?.web_search ? 'pricing' : cost?.web_search ? 'service_cost' : undefined;
      if (!name) continue;
      throw new CatalogError(
        `${place}.endpoints[${index}].${name}.web_search: must be left out, because a search costs the "price" of search.json on every model`,
      );
    }
  }
}
