import type { Endpoint } from '../catalog/catalog.ts';
import type { SearchBackend } from '../catalog/search.ts';
import type { Privacy } from '../store/accounts/privacy.ts';

const exclusions = ['allowed_providers', 'ignored_providers', 'data_policy:logging', 'data_policy:training'] as const;
type Exclusion = (typeof exclusions)[number];

/** Returns why an endpoint must not be used; undefined if it may be used. */
export type ExclusionOf = (endpoint: Seeing) => Exclusion | undefined;

type Seeing = Pick<Endpoint, 'dataPolicy'> & { provider: Pick<Endpoint['provider'], 'id'> };

/**
 * Returns a function that returns the reason why an endpoint must not get a prompt; undefined if the endpoint may get
 * it. Account, workspace and key must all allow the provider, and none may ignore it. If one of them blocks logging (or
 * training), the endpoint's declared data policy must exclude it.
 */
export function privacyFilter(layers: Privacy[]): ExclusionOf {
  const ignored = new Set(layers.flatMap(({ ignoredProviders }) => ignoredProviders));
  const blocksLogging = layers.some(({ blockLogging }) => blockLogging);
  const blocksTraining = layers.some(({ blockTraining }) => blockTraining);
  return ({ provider: { id }, dataPolicy: policy }) => {
    const isAllowed = layers.every(
      ({ allowedProviders }) => allowedProviders.length === 0 || allowedProviders.includes(id),
    );
    if (!isAllowed) return 'allowed_providers';
    if (ignored.has(id)) return 'ignored_providers';
    if (blocksLogging && policy.logs_prompts) return 'data_policy:logging';
    if (blocksTraining && policy.trains_on_prompts) return 'data_policy:training';
    return undefined;
  };
}

/**
 * Like `privacyFilter`, for search backends. `allowedProviders` does not apply, because it lists only providers of
 * models.
 */
export function searchExclusion(layers: Privacy[]): (backend: SearchBackend) => Exclusion | undefined {
  const exclusionOf = privacyFilter(layers.map((layer) => ({ ...layer, allowedProviders: [] })));
  return ({ id, dataPolicy }) => exclusionOf({ provider: { id }, dataPolicy });
}
