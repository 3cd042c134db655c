/**
 * Finds the providers that can be called because the operator has set their credential. Only functions that call
 * providers may read credentials. Other functions get this fact from a worker, each minute, in the measurement of
 * endpoints.
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

/** Whether an endpoint can be called here and now; undefined if unknown. */
export type IsReady = (endpoint: Endpoint) => boolean | undefined;

/** @param isLive state of a provider in the last measurement */
export function readiness(isLive: (providerId: string) => boolean | undefined): IsReady {
  return (endpoint) => {
    if (!isAnswering(endpoint)) return false;
    const { id, data } = endpoint.provider;
    if (data.credential === undefined) return true;
    return hasProviderKeyHere(data.credential) ?? isLive(id);
  };
}

/** Whether only the last measurement shows that an endpoint is callable. Otherwise this process knows. */
export function isReadyByMeasurement(endpoint: Endpoint): boolean {
  const { credential } = endpoint.provider.data;
  return isAnswering(endpoint) && credential !== undefined && hasProviderKeyHere(credential) === undefined;
}

/** Whether at most a missing credential can prevent calls of this endpoint. */
function isAnswering({ pricing, unsetVariable, wire }: Endpoint): boolean {
  return pricing !== undefined && unsetVariable === undefined && isCalled(wire);
}

/** Whether a route of this gateway calls models on this wire. Other wires only appear in lists. */
export function isCalled(wire: Wire): boolean {
  return factsOf(wire).answers !== undefined;
}
