import type { Endpoint, Model } from '../../catalog/catalog.ts';
import { cheapestFirst, type Priced } from '../../catalog/default-route.ts';

/** A model as one reader may use it. */
export interface Offer {
  model: Model;
  /** At least one; in the order in which they are tried, so that the first is the default route. */
  endpoints: readonly Priced<Endpoint>[];
}

/** @param isAllowed whether the reader may use an endpoint; in public lists all may be used */
export function offersOf(models: readonly Model[], isAllowed: (endpoint: Endpoint) => boolean = () => true): Offer[] {
  return models
    .map((model) => ({ model, endpoints: cheapestFirst(model.endpoints.filter(isAllowed)) }))
    .filter(({ endpoints }) => endpoints.length > 0);
}

/** What a token costs at the default route; undefined for a model that is not paid by the token. */
export function tokenPricesOf({ model, endpoints }: Offer): Priced<Endpoint>['pricing'] | undefined {
  return model.data.video ? undefined : endpoints[0]!.pricing;
}

/** What the model reads, or else what its default route does; undefined where neither is known. */
export function contextOf({ model, endpoints }: Offer): number | undefined {
  return model.data.context_length ?? endpoints[0]!.contextLength;
}

/** Limits of the default route. */
export function routeLimits({ endpoints }: Offer): { contextLength: number | null; maxOutputTokens: number | null } {
  const route = endpoints[0]!;
  return { contextLength: route.contextLength ?? null, maxOutputTokens: route.maxOutputTokens ?? null };
}
