/**
 * Determines the providers whose credential the operator has set. Only functions that send or estimate requests, and
 * the worker of measurements, may read credentials. Other functions read the result of this worker, which determines it
 * every minute.
 */

import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import { factsOf, type Wire } from '../catalog/wires.ts';
import { hasProviderKeyHere, readProviderKey } from '../platform/secrets/secrets.ts';

/** Returns the ids of the providers whose credential is set, or that need no credential. */
export async function liveProviders({ models }: Catalog): Promise<string[]> {
  const endpoints = models.flatMap((model) => model.endpoints);
  const providers = new Map(endpoints.map(({ provider }) => [provider.id, provider.data.credential]));
  const live: string[] = [];
  for (const [id, credential] of providers) {
    if (credential === undefined || (await readProviderKey(credential)) !== undefined) live.push(id);
  }
  return live;
}

/** Returns whether an endpoint can currently be called; undefined if that is unknown. */
export type IsReady = (endpoint: Endpoint) => boolean | undefined;

/**
 * Creates the function that decides whether an endpoint can be called.
 * @param isLive returns whether a provider's credential was set in the last measurement
 */
export function readiness(isLive: (providerId: string) => boolean | undefined): IsReady {
  return (endpoint) => {
    if (!isAnswering(endpoint)) return false;
    const { id, data } = endpoint.provider;
    if (data.credential === undefined) return true;
    return hasProviderKeyHere(data.credential) ?? isLive(id);
  };
}

/**
 * Returns whether this process needs the worker's last measurement to decide if an endpoint can be called, because it
 * has no permission to read the endpoint's credential.
 */
export function isReadyByMeasurement(endpoint: Endpoint): boolean {
  const { credential } = endpoint.provider.data;
  return isAnswering(endpoint) && credential !== undefined && hasProviderKeyHere(credential) === undefined;
}

/**
 * Returns whether the endpoint has everything that a call needs except the credential: a price, all other settings, and
 * a route that supports its provider format (wire).
 */
function isAnswering({ pricing, unsetVariable, wire }: Endpoint): boolean {
  return pricing !== undefined && unsetVariable === undefined && isCalled(wire);
}

/**
 * Returns whether a route of this gateway can call models with this provider format (wire). Models with other formats
 * only appear in lists.
 */
export function isCalled(wire: Wire): boolean {
  return factsOf(wire).answers !== undefined;
}
