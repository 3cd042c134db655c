import type { Provider } from '../catalog/catalog.ts';
import type { Privacy } from '../store/privacy.ts';

/** Why a provider may not see a prompt. */
export const exclusions = [
  'allowed_providers',
  'ignored_providers',
  'data_policy:logging',
  'data_policy:training',
] as const;
export type Exclusion = (typeof exclusions)[number];

/** Says why a provider is excluded; undefined when it may be used. */
export type ExclusionOf = (provider: Provider) => Exclusion | undefined;

/**
 * The one decision about providers, for the list of models as for inference: account, workspace and key must all allow a
 * provider, any of them can ignore it, and what any of them blocks is judged by the provider's declared data policy.
 */
export function privacyFilter(layers: Privacy[]): ExclusionOf {
  const ignored = new Set(layers.flatMap(({ ignoredProviders }) => ignoredProviders));
  const blocksLogging = layers.some(({ blockLogging }) => blockLogging);
  const blocksTraining = layers.some(({ blockTraining }) => blockTraining);
  return ({ id, data: { data_policy: policy } }) => {
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
