import type { Quirks } from './quirk-schemas.ts';
import type { EndpointData, ProviderData } from './schema.ts';
import { commonQuirkNames } from './quirk-values.ts';
import type { Wire } from './wires.ts';

export function wireOf(endpoint: EndpointData, provider: ProviderData): Wire {
  return endpoint.wire ?? provider.wire;
}

/**
 * An endpoint's quirks: its own, which override those of its provider, but what it lacks adds to what its provider lacks. Where it
 * has another wire than its provider, it inherits what may be said on any wire.
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

/** What of some quirks may be said on any wire. */
function commonOf(quirks: Quirks | undefined): Quirks {
  const said = commonQuirkNames.filter((name) => quirks?.[name] !== undefined);
  return Object.fromEntries(said.map((name) => [name, quirks![name]]));
}
