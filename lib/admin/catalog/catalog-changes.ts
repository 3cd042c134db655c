/** The changes between two catalogs, value by value: prices first, because they are what is looked for. */

import { Money } from '../../../lambdas/money/money.ts';
import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { variablesIn } from '../../../lambdas/catalog/placeholders.ts';

export interface CatalogChange {
  /** A model, an alias, a provider, or "search". */
  of: string;
  /** The place in it, with endpoints by their ids: `acme.pricing.input`. */
  field: string;
  /** Null where it was not there. */
  before: string | null;
  /** Null where it is not there any more. */
  after: string | null;
}

const PRICE = /(^|\.)(pricing|price|price_per_second|service_cost|max_price)(\.|$)/;

/** @returns a change for each value that is not the same; for a new part one and each of its prices, for a removed part one */
export function changesBetween(before: CatalogFiles, after: CatalogFiles): CatalogChange[] {
  const [old, young] = [partsOf(before), partsOf(after)];
  const changes: CatalogChange[] = [];
  for (const name of new Set([...old.keys(), ...young.keys()])) {
    const [from, to] = [old.get(name), young.get(name)];
    if (!from || !to) {
      changes.push({ of: name, field: '', before: from ? 'there' : null, after: to ? 'there' : null });
      changes.push(...pricesOf(name, to));
      continue;
    }
    for (const field of new Set([...from.keys(), ...to.keys()])) {
      const change = { of: name, field, before: from.get(field) ?? null, after: to.get(field) ?? null };
      if (change.before !== change.after) changes.push(change);
    }
  }
  return changes.toSorted((a, b) => Number(isOfPrice(b)) - Number(isOfPrice(a)));
}

function pricesOf(name: string, values: Map<string, string> = new Map()): CatalogChange[] {
  const changes = [...values].map(([field, after]) => ({ of: name, field, before: null, after }));
  return changes.filter(isOfPrice);
}

export function isOfPrice({ field }: CatalogChange): boolean {
  return PRICE.test(field);
}

/** The values of each model, alias and provider, and of the search, by their places. */
function partsOf({ models, aliases, providers, search }: CatalogFiles): Map<string, Map<string, string>> {
  return new Map([
    ...models.map((model) => [model.id, valuesOf(model)] as const),
    ...aliases.map((alias) => [`alias ${alias.alias}`, valuesOf(alias)] as const),
    ...providers.map((provider) => [`provider ${provider.id}`, valuesOf(provider)] as const),
    ...(search ? [['search', valuesOf(search)] as const] : []),
  ]);
}

function valuesOf(part: object): Map<string, string> {
  const values = new Map<string, string>();
  const visit = (value: unknown, place: string[]): void => {
    if (value === undefined) return;
    if (value instanceof Money) values.set(place.join('.'), value.toString());
    else if (typeof value !== 'object' || value === null) values.set(place.join('.'), JSON.stringify(value));
    else
      for (const [name, inner] of Object.entries(value)) visit(inner, [...place, pathSegmentName(value, name, inner)]);
  };
  visit(part, []);
  return values;
}

/** Endpoints go by their ids, so that one put in between changes no other one. */
function pathSegmentName(parent: object, name: string, value: unknown): string {
  const { id } = (value ?? {}) as { id?: unknown };
  return Array.isArray(parent) && typeof id === 'string' ? id : name;
}

/** The names of the credentials that a catalog reads. */
export function credentialsOf({ providers, search }: CatalogFiles): Set<string> {
  return new Set([...providers, ...(search?.backends ?? [])].flatMap(({ credential }) => credential ?? []));
}

/** The variables of the environment that a catalog reads; credentials are in the secret of providers' keys. */
export function variablesOf({ providers, models, search }: CatalogFiles): Set<string> {
  const endpoints = models.flatMap((model) => model.endpoints);
  const backends = search?.backends ?? [];
  return new Set([
    ...[...providers, ...backends].flatMap(({ base_url_variable: variable }) => variable ?? []),
    ...endpoints.flatMap(({ upstream_model: name }) => variablesIn(name)),
    ...backends.flatMap(({ folder }) => variablesIn(folder ?? '')),
  ]);
}
