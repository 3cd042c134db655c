import type { Catalog, Model } from '../catalog/catalog.ts';
import { unknownModel } from '../catalog/unknown-model.ts';
import type { RoutedRequest, SortBy } from '../messages/preferences.ts';
import { notFound } from '../platform/errors.ts';

/** A model that may answer, and how its suffix wants its endpoints sorted. */
export interface RequestedModel {
  model: Model;
  sort: SortBy | undefined;
  /** Where the request names it. */
  field: string;
  /** By its suffix, the web is to be searched for its answer. */
  isOnline?: boolean;
}

/** Suffixes that any model may have; other ones, like `:free`, are part of a model's own id. */
const variants = { floor: 'price', nitro: 'throughput' } as const satisfies Record<string, SortBy>;

/** The suffix of the convention that searches the web. */
const ONLINE = 'online';

/**
 * The models of a request, each once, in the order in which they are tried.
 * @throws {GatewayError} 404 for an id that the catalog does not know
 */
export function requestedModels(catalog: Catalog, { model, models = [] }: RoutedRequest): RequestedModel[] {
  const requested = [
    resolveModel(catalog, model, 'model'),
    ...models.map((id, index) => resolveModel(catalog, id, `models.${index}`)),
  ];
  return requested.filter((one, index) => requested.findIndex((other) => other.model === one.model) === index);
}

/** Whether a model is named with the suffix that has the web searched for its answer. */
export function asksForSearch(catalog: Catalog, { model, models = [] }: RoutedRequest): boolean {
  return [model, ...models].some((id) => id.endsWith(`:${ONLINE}`) && catalog.meant(id) === undefined);
}

function resolveModel(catalog: Catalog, id: string, field: string): RequestedModel {
  const known = catalog.meant(id);
  if (known) return { model: known.aliasOf ?? known, sort: undefined, field };
  const colon = id.lastIndexOf(':');
  const base = colon === -1 ? undefined : catalog.meant(id.slice(0, colon));
  const suffix = id.slice(colon + 1);
  if (!base) throw unknownModel(catalog, id, field);
  if (Object.hasOwn(variants, suffix)) {
    return { model: base.aliasOf ?? base, sort: variants[suffix as keyof typeof variants], field };
  }
  if (suffix === ONLINE) return { model: base.aliasOf ?? base, sort: undefined, field, isOnline: true };
  const suffixes = [...Object.keys(variants), ONLINE].map((name) => `":${name}"`);
  throw notFound(`There is no variant ":${suffix}" of "${base.id}". Leave it out, or use ${suffixes.join(' or ')}.`, {
    field,
  });
}
