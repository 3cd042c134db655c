import type { Endpoint, Model } from '../../catalog/catalog.ts';
import { hasPrice, type Priced } from '../../catalog/default-route.ts';
import { misfitOf } from '../../routing/preference-filter.ts';
import type { IsReady } from '../../routing/live-providers.ts';
import { inOrder } from '../../routing/order.ts';
import { preferencesFor } from '../../routing/preferences.ts';

/** A model as one reader may use it. */
export interface ModelOffer {
  model: Model;
  /** At least one; in the order in which they are tried, so that the first is the default route. */
  endpoints: readonly Priced<Endpoint>[];
}

/** The parts that a list of models is built from. */
export interface OfferedModels {
  models: readonly Model[];
  /** Whether the reader may use an endpoint; in public lists all may be used. */
  isAllowed?: (endpoint: Endpoint) => boolean;
  /** Without models whose operator has not set what their providers need: pickers show every model of a list. */
  isForPickers?: boolean;
}

/** @param isReady whether an endpoint can be called */
export function offersOf(
  { models, isAllowed = () => true, isForPickers = false }: OfferedModels,
  isReady: IsReady,
): ModelOffer[] {
  return models
    .map((model) => ({ model, endpoints: inRoutingOrder(model, model.endpoints.filter(isAllowed), isReady) }))
    .filter(({ endpoints: [first] }) => first !== undefined && !(isForPickers && isReady(first) === false));
}

const NOTHING_ASKED = { parameters: [], tunings: [], promptTokens: 0 };
const NO_SIGNALS = { isFailing: () => false, speedOf: () => undefined };

/**
 * The order in which a request without wishes tries endpoints, while all of them are well: as the catalog routes the model,
 * those that can be called first, then the cheapest.
 *
 * Guarantee: the first one is the default route, whose price the catalog shows; inference orders by the same functions.
 */
export function inRoutingOrder(model: Model, endpoints: readonly Endpoint[], isReady: IsReady): Priced<Endpoint>[] {
  const preferences = preferencesFor({ model, sort: undefined }, {});
  const priced = endpoints.filter(hasPrice);
  const fitting = priced.filter((endpoint) => misfitOf(model, endpoint, preferences, NOTHING_ASKED) === undefined);
  const tried = inOrder(
    (fitting.length > 0 ? fitting : priced).map((endpoint) => ({ endpoint })),
    preferences,
    NO_SIGNALS,
    () => 1,
  );
  // Sorting is stable. What is not known may be ready.
  return tried
    .map(({ endpoint }) => endpoint)
    .toSorted((a, b) => Number(isReady(a) === false) - Number(isReady(b) === false));
}

/** What a token costs at the default route; undefined for a model that is not paid by the token. */
export function tokenPricesOf({ model, endpoints }: ModelOffer): Priced<Endpoint>['pricing'] | undefined {
  return model.data.video ? undefined : endpoints[0]!.pricing;
}

/** What the model reads, or else what its default route does; undefined where neither is known. */
export function contextOf({ model, endpoints }: ModelOffer): number | undefined {
  return model.data.context_length ?? endpoints[0]!.contextLength;
}

/** Limits of the default route. */
export function routeLimits({ endpoints }: ModelOffer): {
  contextLength: number | null;
  maxOutputTokens: number | null;
} {
  const route = endpoints[0]!;
  return { contextLength: route.contextLength ?? null, maxOutputTokens: route.maxOutputTokens ?? null };
}
