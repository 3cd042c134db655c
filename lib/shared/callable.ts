import type { Catalog, Model } from '../../lambdas/catalog/catalog.ts';
import { makesOnlyText } from '../../lambdas/catalog/modality.ts';
import type { ProviderData } from '../../lambdas/catalog/schema.ts';
import { optionalVariable } from '../../lambdas/platform/environment.ts';
import { readiness } from '../../lambdas/routing/live-providers.ts';

export interface ProviderState {
  id: string;
  name: string;
  /**
   * Names of the environment variables for the provider's URL and key, separated by spaces; undefined if there are
   * none.
   */
  variable: string | undefined;
  state: 'live' | 'no key' | 'no address';
  models: number;
}

/** Returns whether the credential and URL of an endpoint are set as environment variables. */
const isReady = readiness(() => undefined);

/** Prefix of variables that the operator need not set. */
const OWN_VARIABLES = 'GATEWAY_SANDBOX_';

/** Returns the state of each provider with models, callable providers first; a sandbox without a URL is excluded. */
export function providerStates({ models, withoutAddress }: Catalog): ProviderState[] {
  const states = new Map<string, ProviderState>();
  for (const { endpoints, aliasOf } of models) {
    if (aliasOf) continue;
    const counted = new Set<string>();
    for (const { provider } of endpoints) {
      const { id, name, data } = provider;
      const hasKey = data.credential === undefined || optionalVariable(data.credential) !== undefined;
      const known = states.get(id);
      const state: ProviderState = known ?? {
        id,
        name,
        variable: variablesOf(data),
        state: hasKey ? 'live' : 'no key',
        models: 0,
      };
      if (!counted.has(id)) state.models += 1;
      counted.add(id);
      states.set(id, state);
    }
  }
  const ofPeople = withoutAddress.filter(({ data }) => !data.base_url_variable!.startsWith(OWN_VARIABLES));
  const absent = ofPeople.map(({ data, models: count }): ProviderState => {
    const { id, name } = data;
    return { id, name, variable: variablesOf(data), state: 'no address', models: count };
  });
  return [...states.values(), ...absent].toSorted(
    (a, b) => Number(isLiveHere(b)) - Number(isLiveHere(a)) || a.id.localeCompare(b.id),
  );
}

export function isLiveHere({ state }: Pick<ProviderState, 'state'>): boolean {
  return state === 'live';
}

function variablesOf({ base_url_variable: address, credential }: ProviderData): string | undefined {
  const ofPeople = [address, credential].filter((name) => name !== undefined && !name.startsWith(OWN_VARIABLES));
  return ofPeople.length === 0 ? undefined : ofPeople.join(' ');
}

/** Returns the set credentials and certificates of providers and search backends, by the names of their variables. */
export function operatorSecrets({ models, search }: Catalog): Record<string, string> {
  const providers = models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.data));
  const names = [
    ...providers.flatMap((data) => [data.credential, data.ca_variable]),
    ...(search?.listed ?? []).map(({ credential }) => credential),
  ];
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const value = name && optionalVariable(name);
    if (name && value !== undefined) secrets[name] = value;
  }
  return secrets;
}

const SANDBOX = 'sandbox/claude';

/**
 * Returns a text model for a first request, if possible the sandbox model or another callable model; undefined if the
 * catalog has none.
 */
export function modelToTry({ models }: Catalog): Model | undefined {
  const speaking = models.filter(({ data }) => makesOnlyText(data.output_modalities));
  const callable = speaking.filter(({ endpoints }) => endpoints.some((endpoint) => isReady(endpoint) === true));
  return callable.find(({ id }) => id === SANDBOX) ?? callable[0] ?? speaking[0];
}
