import type { Endpoint } from '../catalog/catalog.ts';
import type { SearchBackend } from '../catalog/search.ts';
import type { Privacy } from '../store/accounts/privacy.ts';

/** Why an endpoint may not get a prompt. */
const exclusions = ['allowed_providers', 'ignored_providers', 'data_policy:logging', 'data_policy:training'] as const;
type Exclusion = (typeof exclusions)[number];

/** Why an endpoint is excluded; undefined if it may be used. */
export type ExclusionOf = (endpoint: Seeing) => Exclusion | undefined;

/** The part of an endpoint that privacy settings apply to. */
type Seeing = Pick<Endpoint, 'dataPolicy'> & { provider: Pick<Endpoint['provider'], 'id'> };

/**
 * The only privacy decision about endpoints, both for lists of models and for inference. Account, workspace and key
 * must all allow the provider, and none of them may ignore it. If any of them blocks logging or training, the
 * endpoint's declared data policy must rule that out.
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
 * The same for search backends, which get the model's queries. `allowedProviders` names providers of models, so it does
 * not apply to them.
 */
export function searchExclusion(layers: Privacy[]): (backend: SearchBackend) => Exclusion | undefined {
  const exclusionOf = privacyFilter(layers.map((layer) => ({ ...layer, allowedProviders: [] })));
  return ({ id, dataPolicy }) => exclusionOf({ provider: { id }, dataPolicy });
}
