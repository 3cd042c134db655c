import type { ProviderParameters, Selection } from './import-selection.ts';

type EndpointQuirks = Record<string, unknown>;

/** Quirks whose lists are merged if several facts apply. */
const additive = new Set(['lacks']);

/**
 * Returns the quirks of an endpoint, completed with the facts that apply to its model. The endpoint's own quirks take
 * precedence.
 */
export function withFacts(
  quirks: EndpointQuirks | undefined,
  { model, provider }: { model: string; provider: string },
  facts: NonNullable<Selection['facts']>,
): EndpointQuirks {
  const known = facts.filter(
    ({ models, providers }) => models.includes(model) && (providers === undefined || providers.includes(provider)),
  );
  return [...known.map((fact) => fact.quirks), quirks ?? {}].reduce(merged, {});
}

function merged(quirks: EndpointQuirks, more: EndpointQuirks): EndpointQuirks {
  const entries = Object.entries(more).map(([name, value]) => [
    name,
    additive.has(name) ? [...new Set([...((quirks[name] ?? []) as string[]), ...(value as string[])])] : value,
  ]);
  return { ...quirks, ...Object.fromEntries(entries) };
}

/** `wire` is undefined if the endpoint uses its provider's wire. */
interface SelectedEndpoint {
  model: string;
  provider: string;
  wire: string | undefined;
  reasons: boolean | undefined;
}

export function providerParameters(
  known: readonly ProviderParameters[],
  { model, provider, wire, reasons = false }: SelectedEndpoint,
): string[] {
  const holding = known.filter(
    (one) =>
      one.providers.includes(provider) &&
      one.wire === wire &&
      (one.models === undefined || one.models.includes(model)) &&
      (one.reasons === undefined || one.reasons === reasons),
  );
  return holding.flatMap(({ parameters }) => parameters);
}
