import type { Endpoint } from '../catalog/catalog.ts';
import type { SearchBackend } from '../catalog/search.ts';
import type { Privacy } from '../store/accounts/privacy.ts';

/** Reasons why an endpoint must not get a prompt. */
const exclusions = ['allowed_providers', 'ignored_providers', 'data_policy:logging', 'data_policy:training'] as const;
type Exclusion = (typeof exclusions)[number];

/** Returns why an endpoint is excluded; undefined if it may be used. */
export type ExclusionOf = (endpoint: Seeing) => Exclusion | undefined;

/** Properties of an endpoint that privacy settings depend on. */
type Seeing = Pick<Endpoint, 'dataPolicy'> & { provider: Pick<Endpoint['provider'], 'id'> };

/**
 * Decides which endpoints may get a prompt, for lists of models as well as for inference. The settings of account,
 * workspace and key must all allow the provider, and none of them may list it as ignored. If any of them blocks logging
 * or training, the endpoint's declared data policy must be without logging or training.
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
 * Decides which search backends may get the model's queries, by the same privacy settings as for endpoints.
 * `allowedProviders` does not apply, because it lists providers of models.
 */
export function searchExclusion(layers: Privacy[]): (backend: SearchBackend) => Exclusion | undefined {
  const exclusionOf = privacyFilter(layers.map((layer) => ({ ...layer, allowedProviders: [] })));
  return ({ id, dataPolicy }) => exclusionOf({ provider: { id }, dataPolicy });
}
