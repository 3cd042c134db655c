import { Money } from '../money/money.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { EndpointPrices } from './price-periods.ts';
import type { DataPolicy } from './schema.ts';
import type { SearchBackendData, SearchData, SearchKind } from './search-schema.ts';

/** A backend whose variables are set. Its credential may still be missing. */
export interface SearchBackend {
  id: string;
  name: string;
  kind: SearchKind;
  baseUrl: string;
  folder: string | undefined;
  dataPolicy: DataPolicy;
  data: SearchBackendData;
}

export interface CatalogSearch {
  /** Price of one search, in RUB. */
  price: Money;
  maxResults: number;
  /** Backends in the order of attempts. Their credentials are not checked. */
  backends: readonly SearchBackend[];
  /** All backends in the file, even if their variables are not set. */
  listed: readonly SearchBackendData[];
}

export function buildSearch(data: SearchData, valueOf: (variable: string) => string | undefined): CatalogSearch {
  return {
    price: data.price,
    maxResults: data.max_results,
    backends: data.backends.flatMap((backend) => resolveBackend(backend, valueOf)),
    listed: data.backends,
  };
}

function resolveBackend(data: SearchBackendData, valueOf: (variable: string) => string | undefined): SearchBackend[] {
  const baseUrl = data.base_url ?? valueOf(data.base_url_variable!);
  const folder = data.folder === undefined ? undefined : fillPlaceholders(data.folder, valueOf);
  if (!baseUrl || folder?.unset) return [];
  const { id, name, kind, data_policy: dataPolicy } = data;
  return [{ id, name, kind, baseUrl: baseUrl.replace(/\/+$/, ''), folder: folder?.text, dataPolicy, data }];
}

/**
 * Adds the price of a search to an endpoint's prices. For free models, the client price is 0, and the operator's cost
 * is the full price.
 */
export function withSearchPrice<Prices extends EndpointPrices>(
  prices: Prices,
  { price, isFree }: { price: Money; isFree: boolean },
): Prices {
  const { pricing, serviceCost: cost } = prices;
  if (!pricing) return prices;
  if (!isFree) return { ...prices, pricing: { ...pricing, web_search: price } };
  const serviceCost = cost && { ...cost, web_search: price };
  return { ...prices, pricing: { ...pricing, web_search: Money.zero }, serviceCost };
}
