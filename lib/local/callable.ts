/** What of a catalog can be called here and now: that its operator has set what it needs. */

import type { Catalog, Model } from '../../lambdas/catalog/catalog.ts';
import { optionalVariable } from '../../lambdas/platform/environment.ts';
import { readiness } from '../../lambdas/routing/live-providers.ts';

/** A provider with its state here. */
export interface ProviderState {
  id: string;
  name: string;
  /** The variable that its key is read from; undefined where it needs none. */
  variable: string | undefined;
  isLive: boolean;
  /** How many of the catalog's models it offers. */
  models: number;
}

/** On this machine credentials are in the environment: nobody else has to be asked. */
const isReady = readiness(() => undefined);

/** Every provider that has an address here, the live ones first. */
export function providerStates({ models }: Catalog): ProviderState[] {
  const states = new Map<string, ProviderState>();
  for (const { endpoints, aliasOf } of models) {
    if (aliasOf) continue;
    const counted = new Set<string>();
    for (const { provider } of endpoints) {
      const { id, name, data } = provider;
      const variable = data.credential;
      const isLive = variable === undefined || optionalVariable(variable) !== undefined;
      const state = states.get(id) ?? { id, name, variable, isLive, models: 0 };
      if (!counted.has(id)) state.models += 1;
      counted.add(id);
      states.set(id, state);
    }
  }
  return [...states.values()].toSorted((a, b) => Number(b.isLive) - Number(a.isLive) || a.id.localeCompare(b.id));
}

const SANDBOX = 'sandbox/claude';

/** A model of texts for a first request: the sandbox's, else one that can be called, else any; undefined where there is none. */
export function modelToTry({ models }: Catalog): Model | undefined {
  const speaking = models.filter(({ data }) => data.output_modalities.includes('text'));
  const callable = speaking.filter(({ endpoints }) => endpoints.some((endpoint) => isReady(endpoint) === true));
  return callable.find(({ id }) => id === SANDBOX) ?? callable[0] ?? speaking[0];
}
