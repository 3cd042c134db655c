import { Money } from '../../../lambdas/money/money.ts';
import type { CatalogFiles } from '../../../lambdas/catalog/catalog.ts';
import { variablesIn } from '../../../lambdas/catalog/placeholders.ts';

export interface CatalogChange {
  /** The id of a model, `alias <name>`, `provider <id>`, or `search`. */
  of: string;
  /** Path of the value; empty for a whole part. Endpoints appear by id, for example `endpoints.acme.pricing.prompt`. */
  field: string;
  /** Value before the change, or `there` for a removed part; null for a new value or part. */
  before: string | null;
  /** Value after the change, or `there` for a new part; null for a removed value or part. */
  after: string | null;
}

const PRICE = /(^|\.)(pricing|price|price_per_second|service_cost|max_price)(\.|$)/;

/**
 * Returns one change for each value that differs. A new part (model, alias, provider or search) is one change, plus one
 * for each of its prices. A removed part is a single change.
 */
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

/** Returns the parts of a catalog, each with its values by path. */
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

/**
 * Returns the name of a value in its path. Endpoints appear by id instead of index, so a new endpoint does not change
 * the paths of the other endpoints.
 */
function pathSegmentName(parent: object, name: string, value: unknown): string {
  const { id } = (value ?? {}) as { id?: unknown };
  return Array.isArray(parent) && typeof id === 'string' ? id : name;
}

export function credentialsOf({ providers, search }: CatalogFiles): Set<string> {
  return new Set([...providers, ...(search?.backends ?? [])].flatMap(({ credential }) => credential ?? []));
}

/** Returns the environment variables that a catalog uses, without credentials and certificates. */
export function variablesOf({ providers, models, search }: CatalogFiles): Set<string> {
  const endpoints = models.flatMap((model) => model.endpoints);
  const backends = search?.backends ?? [];
  return new Set([
    ...[...providers, ...backends].flatMap(({ base_url_variable: variable }) => variable ?? []),
    ...endpoints.flatMap(({ upstream_model: name }) => variablesIn(name)),
    ...backends.flatMap(({ folder }) => variablesIn(folder ?? '')),
  ]);
}
