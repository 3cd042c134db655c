import type { Catalog, Model } from '../catalog/catalog.ts';
import { unknownModel } from '../catalog/unknown-model.ts';
import type { RoutedRequest, SortBy } from '../messages/preferences.ts';
import { notFound } from '../platform/errors.ts';

export interface RequestedModel {
  model: Model;
  sort: SortBy | undefined;
  /** Id of the model or alias that the client named, without a suffix. */
  named: string;
  field: string;
  isOnline: boolean;
}

/**
 * Checks whether the caller may call a model.
 * @throws {GatewayError} 403 if the caller may not call it
 */
export type ModelCheck = (requested: RequestedModel) => void;

/** Suffixes for any model that select a sort order; suffixes such as `:free` are part of a model's id. */
const variants = { floor: 'price', nitro: 'throughput' } as const satisfies Record<string, SortBy>;

/** Suffix that requests a web search, as in OpenRouter's API. */
const ONLINE = 'online';

/**
 * Returns the models of a request in the order of attempts. A model that is named twice has its first position, and the
 * web is searched if either name requests it.
 * @throws {GatewayError} 404 for an id that is not in the catalog, or for an unknown suffix; the errors of `check`
 */
export function requestedModels(
  catalog: Catalog,
  { model, models = [] }: RoutedRequest,
  check?: ModelCheck,
): RequestedModel[] {
  const requested = [
    resolveModel(catalog, model, 'model'),
    ...models.map((id, index) => resolveModel(catalog, id, `models.${index}`)),
  ];
  if (check) for (const one of requested) check(one);
  const byModel = Map.groupBy(requested, (one) => one.model);
  return [...byModel.values()].map((same) => ({ ...same[0]!, isOnline: same.some(({ isOnline }) => isOnline) }));
}

function resolveModel(catalog: Catalog, id: string, field: string): RequestedModel {
  const known = catalog.meant(id);
  if (known) return { model: known.aliasOf ?? known, named: known.id, sort: undefined, field, isOnline: false };
  const colon = id.lastIndexOf(':');
  const base = colon === -1 ? undefined : catalog.meant(id.slice(0, colon));
  const suffix = id.slice(colon + 1);
  if (!base) throw unknownModel(catalog, id, field);
  const model = base.aliasOf ?? base;
  if (suffix === ONLINE) return { model, named: base.id, sort: undefined, field, isOnline: true };
  if (Object.hasOwn(variants, suffix)) {
    return { model, named: base.id, sort: variants[suffix as keyof typeof variants], field, isOnline: false };
  }
  const suffixes = [...Object.keys(variants), ONLINE].map((name) => `":${name}"`);
  throw notFound(`"${base.id}" has no variant ":${suffix}". Leave out the suffix, or use ${suffixes.join(' or ')}.`, {
    field,
  });
}
