import type { Endpoint } from '../catalog/catalog.ts';
import type { SearchBackend } from '../catalog/search.ts';
import type { Privacy } from '../store/accounts/privacy.ts';

/** Why an endpoint may not see a prompt. */
const exclusions = ['allowed_providers', 'ignored_providers', 'data_policy:logging', 'data_policy:training'] as const;
type Exclusion = (typeof exclusions)[number];

/** Why an endpoint is excluded; undefined when it may be used. */
export type ExclusionOf = (endpoint: Seeing) => Exclusion | undefined;

/** Who sees a prompt, as far as settings speak of it. */
type Seeing = Pick<Endpoint, 'dataPolicy'> & { provider: Pick<Endpoint['provider'], 'id'> };

/**
 * The one decision about endpoints, for the list of models and for inference: account, workspace and key must all allow
 * the provider, any of them can ignore it, and what any of them blocks is checked in the endpoint's declared data policy.
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
 * The same for search backends, which see what the model looks for. `allowedProviders` names providers of models: it says
 * nothing of them.
 */
export function searchExclusion(layers: Privacy[]): (backend: SearchBackend) => Exclusion | undefined {
  const exclusionOf = privacyFilter(layers.map((layer) => ({ ...layer, allowedProviders: [] })));
  return ({ id, dataPolicy }) => exclusionOf({ provider: { id }, dataPolicy });
}
