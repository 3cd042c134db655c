import type { Endpoint, Model } from '../../catalog/catalog.ts';
import { hasPrice, isFree, type Priced } from '../../catalog/default-route.ts';
import { misfitOf } from '../../routing/preference-filter.ts';
import type { IsReady } from '../../routing/live-providers.ts';
import { inOrder } from '../../routing/order.ts';
import { preferencesFor } from '../../routing/preferences.ts';

/** A model with the endpoints that a caller may use. */
export interface ModelOffer {
  model: Model;
  /** Endpoints in the order of attempts, at least one. The first endpoint is the default route. */
  endpoints: readonly Priced<Endpoint>[];
}

export interface OfferedModels {
  models: readonly Model[];
  /** Whether the caller may use an endpoint. Absent in public lists, in which all endpoints are allowed. */
  isAllowed?: (endpoint: Endpoint) => boolean;
  /** Whether to exclude models whose default route lacks a setting of the operator. */
  isForPickers?: boolean;
}

/**
 * Returns each model with the endpoints that the caller may use. Omits models without a usable endpoint.
 * @param isReady whether an endpoint can be called
 */
export function offersOf(
  { models, isAllowed = () => true, isForPickers = false }: OfferedModels,
  isReady: IsReady,
): ModelOffer[] {
  return models
    .map((model) => ({ model, endpoints: inRoutingOrder(model, model.endpoints.filter(isAllowed), isReady) }))
    .filter(({ endpoints: [first] }) => first !== undefined && !(isForPickers && isReady(first) === false));
}

const NO_DEMANDS = { parameters: [], tunings: [], promptTokens: 0 };
const NO_SIGNALS = { isFailing: () => false, speedOf: () => undefined };

/**
 * Returns the endpoints in the order of attempts for a request without preferences, as if all endpoints were healthy.
 * Endpoints that can be called come first. Otherwise, the model's routing determines the order, then the price, then
 * the place in the catalog. The first endpoint is the default route.
 */
export function inRoutingOrder(model: Model, endpoints: readonly Endpoint[], isReady: IsReady): Priced<Endpoint>[] {
  const preferences = preferencesFor({ model, sort: undefined }, {});
  const priced = endpoints.filter(hasPrice);
  const fitting = priced.filter((endpoint) => misfitOf(model, endpoint, preferences, NO_DEMANDS) === undefined);
  const tried = inOrder(
    (fitting.length > 0 ? fitting : priced).map((endpoint) => ({ endpoint })),
    preferences,
    NO_SIGNALS,
    () => 1,
  );
  // Sorting is stable. An endpoint whose readiness is unknown counts as ready.
  return tried
    .map(({ endpoint }) => endpoint)
    .toSorted((a, b) => Number(isReady(a) === false) - Number(isReady(b) === false));
}

/** Returns the prices of the default route; undefined for a model that is not billed by tokens. */
export function tokenPricesOf({ model, endpoints }: ModelOffer): Priced<Endpoint>['pricing'] | undefined {
  const { pricing } = endpoints[0]!;
  const isByPiece = pricing.prompt.isZero && pricing.completion.isZero && !isFree(pricing);
  return model.data.video || isByPiece ? undefined : pricing;
}

/** Returns the context length of the model, or else of its default route. */
export function contextOf({ model, endpoints }: ModelOffer): number | undefined {
  return model.data.context_length ?? endpoints[0]!.contextLength;
}

/** Returns the limits of the default route; null if unknown. */
export function routeLimits({ endpoints }: ModelOffer): {
  contextLength: number | null;
  maxOutputTokens: number | null;
} {
  const route = endpoints[0]!;
  return { contextLength: route.contextLength ?? null, maxOutputTokens: route.maxOutputTokens ?? null };
}
