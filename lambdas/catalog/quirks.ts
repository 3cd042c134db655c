import { CatalogError } from './catalog-error.ts';
import type { EndpointData, ProviderData } from './schema.ts';
import { commonOf, factsOf, type Quirks, type Wire } from './wires.ts';

export function wireOf(endpoint: EndpointData, provider: ProviderData): Wire {
  return endpoint.wire ?? provider.wire;
}

/**
 * An endpoint's quirks: its own, which override those of its provider. Where it has another wire than its provider, it
 * inherits what may be said on any wire.
 */
export function quirksOf(endpoint: EndpointData, provider: ProviderData): Quirks {
  const isSameWire = wireOf(endpoint, provider) === provider.wire;
  return { ...(isSameWire ? provider.quirks : commonOf(provider.quirks)), ...endpoint.quirks };
}

/**
 * Checks quirks against those that their wire has: one of another wire would silently do nothing.
 * @param place file and field of the provider or endpoint that has them
 * @throws {CatalogError} naming the quirk that is wrong.
 */
export function checkQuirks(wire: Wire, quirks: ProviderData['quirks'], place: string): void {
  const { quirks: schema } = factsOf(wire);
  const { error } = schema.safeParse(quirks ?? {});
  if (!error) return;
  const unknown = Object.keys(quirks!).find((name) => !Object.hasOwn(schema.shape, name));
  const [issue] = error.issues;
  if (unknown === undefined) throw new CatalogError(`${place}.quirks.${issue!.path.join('.')}: ${issue!.message}`);
  const known = Object.keys(schema.shape).join(', ') || 'none';
  throw new CatalogError(`${place}.quirks.${unknown}: the wire "${wire}" has no such quirk; it knows ${known}`);
}
