/** Providers and models of a catalog that can be called here and now, because their operator has set all that they need. */

import type { Catalog, Model } from '../../lambdas/catalog/catalog.ts';
import type { ProviderData } from '../../lambdas/catalog/schema.ts';
import { optionalVariable } from '../../lambdas/platform/environment.ts';
import { readiness } from '../../lambdas/routing/live-providers.ts';

/** A provider with its state here. */
export interface ProviderState {
  id: string;
  name: string;
  /** The variables that its address and its key are read from, with a space between them; undefined if it needs none. */
  variable: string | undefined;
  state: 'live' | 'no key' | 'no address';
  /** How many of the catalog's models it offers. */
  models: number;
}

/** On this machine credentials are in the environment: nobody else has to be asked. */
const isReady = readiness(() => undefined);

/** The gateway sets them itself: no person has to. */
const OWN_VARIABLES = 'GATEWAY_SANDBOX_';

/** Every provider, the live ones first. */
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

const SANDBOX = 'sandbox/claude';

/** A model of texts for a first request: the sandbox's, else one that can be called, else any; undefined where there is none. */
export function modelToTry({ models }: Catalog): Model | undefined {
  const speaking = models.filter(({ data }) => data.output_modalities.includes('text'));
  const callable = speaking.filter(({ endpoints }) => endpoints.some((endpoint) => isReady(endpoint) === true));
  return callable.find(({ id }) => id === SANDBOX) ?? callable[0] ?? speaking[0];
}
