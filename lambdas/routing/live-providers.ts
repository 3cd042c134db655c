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

/** Whether an endpoint can currently be called; undefined if unknown. */
export type IsReady = (endpoint: Endpoint) => boolean | undefined;

/**
 * Returns a function that reports whether an endpoint can currently be called.
 * @param isLive whether a provider's credential was set in the last measurement
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
 * Whether only a worker's measurement shows if the endpoint can be called, because this process may not read the
 * endpoint's credential.
 */
export function isReadyByMeasurement(endpoint: Endpoint): boolean {
  const { credential } = endpoint.provider.data;
  return isAnswering(endpoint) && credential !== undefined && hasProviderKeyHere(credential) === undefined;
}

/** Whether the endpoint has everything that a call needs except the credential. */
function isAnswering({ pricing, unsetVariable, wire }: Endpoint): boolean {
  return pricing !== undefined && unsetVariable === undefined && isCalled(wire);
}

/** Whether a route can call models with this provider format (wire); other models only appear in lists. */
export function isCalled(wire: Wire): boolean {
  return factsOf(wire).answers !== undefined;
}
