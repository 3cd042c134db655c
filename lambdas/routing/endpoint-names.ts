import { endpointTag, type Catalog, type Endpoint } from '../catalog/catalog.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { ProviderPreferences } from '../messages/preferences.ts';

/** Whether a name, in upper or lower case, is an endpoint's id or tag, or its provider's id or name. */
export function isNamed(endpoint: Endpoint, name: string): boolean {
  return endpointNames(endpoint).includes(name.toLowerCase());
}

function endpointNames(endpoint: Endpoint): string[] {
  const { id, provider } = endpoint;
  return [id, endpointTag(endpoint), provider.id, provider.name.toLowerCase()];
}

/**
 * Refuses unknown names of providers or endpoints, which would have no effect.
 * @throws {GatewayError} 400 with the field
 */
export function refuseUnknownNames(catalog: Catalog, preferences: ProviderPreferences): void {
  for (const field of ['order', 'only', 'ignore'] as const) {
    const unknown = preferences[field]?.findIndex((name) => !namesInCatalog(catalog).has(name.toLowerCase())) ?? -1;
    if (unknown === -1) continue;
    throw invalidRequest(
      `provider.${field}.${unknown}`,
      `there is no provider "${preferences[field]![unknown]}"; GET /models/{model}/endpoints lists those of a model`,
    );
  }
}

const namesOfCatalogs = new WeakMap<Catalog, Set<string>>();

function namesInCatalog(catalog: Catalog): Set<string> {
  let names = namesOfCatalogs.get(catalog);
  if (!names) {
    const endpoints = catalog.models.flatMap((model) => model.endpoints);
    names = new Set([...catalog.providerIds, ...endpoints.flatMap(endpointNames)]);
    namesOfCatalogs.set(catalog, names);
  }
  return names;
}
