/**
 * Which providers can be called: those whose credential the operator has set. Only functions that ask providers may read
 * credentials; what others may know is said by a worker, each minute, in the measurement of endpoints.
 */

import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import { factsOf, type Wire } from '../catalog/wires.ts';
import { hasProviderKeyHere, readProviderKey } from '../platform/secrets/secrets.ts';

/** Ids of the providers whose credential is set, or that need none. */
export async function liveProviders({ models }: Catalog): Promise<string[]> {
  const endpoints = models.flatMap((model) => model.endpoints);
  const providers = new Map(endpoints.map(({ provider }) => [provider.id, provider.data.credential]));
  const live: string[] = [];
  for (const [id, credential] of providers) {
    if (credential === undefined || (await readProviderKey(credential)) !== undefined) live.push(id);
  }
  return live;
}

/** Whether an endpoint can be called here and now; undefined where that is not known. */
export type IsReady = (endpoint: Endpoint) => boolean | undefined;

/** @param isLive what the last measurement says of a provider */
export function readiness(isLive: (providerId: string) => boolean | undefined): IsReady {
  return (endpoint) => {
    if (!isAnswering(endpoint)) return false;
    const { id, data } = endpoint.provider;
    if (data.credential === undefined) return true;
    return hasProviderKeyHere(data.credential) ?? isLive(id);
  };
}

/** Whether the last measurement says if an endpoint can be called; otherwise this process knows. */
export function isReadyByMeasurement(endpoint: Endpoint): boolean {
  const { credential } = endpoint.provider.data;
  return isAnswering(endpoint) && credential !== undefined && hasProviderKeyHere(credential) === undefined;
}

/** Something is sent to it at all, and nothing but a credential may be missing. */
function isAnswering({ pricing, unsetVariable, wire }: Endpoint): boolean {
  return pricing !== undefined && unsetVariable === undefined && isCalled(wire);
}

/** Whether a route of this gateway calls models on this wire; others are in the lists only. */
export function isCalled(wire: Wire): boolean {
  return factsOf(wire).answers !== undefined;
}
