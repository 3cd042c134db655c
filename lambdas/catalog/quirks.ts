import type { Quirks } from './quirk-schemas.ts';
import type { EndpointData, ProviderData } from './schema.ts';
import { commonQuirkNames } from './quirk-values.ts';
import type { Wire } from './wires.ts';

export function wireOf(endpoint: EndpointData, provider: ProviderData): Wire {
  return endpoint.wire ?? provider.wire;
}

/**
 * Returns the quirks of an endpoint, which override the provider's quirks; `lacks` is the union of both lists. An
 * endpoint whose wire differs from its provider's inherits only the common quirks.
 */
export function quirksOf(endpoint: EndpointData, provider: ProviderData): Quirks {
  const isSameWire = wireOf(endpoint, provider) === provider.wire;
  const inherited = isSameWire ? provider.quirks : commonOf(provider.quirks);
  const lacks = [...lacksOf(inherited), ...lacksOf(endpoint.quirks)];
  return { ...inherited, ...endpoint.quirks, ...(lacks.length > 0 ? { lacks: [...new Set(lacks)] } : {}) };
}

function lacksOf(quirks: (Quirks & { lacks?: unknown }) | undefined): unknown[] {
  return Array.isArray(quirks?.lacks) ? quirks.lacks : [];
}

function commonOf(quirks: Quirks | undefined): Quirks {
  const setNames = commonQuirkNames.filter((name) => quirks?.[name] !== undefined);
  return Object.fromEntries(setNames.map((name) => [name, quirks![name]]));
}
