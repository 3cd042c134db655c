import { Money } from '../money/money.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { DataPolicy, EndpointData, Pricing } from './schema.ts';
import type { SearchBackendData, SearchData, SearchKind } from './search-schema.ts';

/** A search engine that can be asked here, once its credential is set. */
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
  /** What one search costs. */
  price: Money;
  maxResults: number;
  /** In the order in which they are asked; only those whose variables are set, credentials aside. */
  backends: readonly SearchBackend[];
  /** All of the file, also those that cannot be asked here. */
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

interface Prices {
  pricing: Pricing | undefined;
  serviceCost: Pricing | undefined;
}

/**
 * Prices of an endpoint whose model calls functions. A free model refuses to search (admission/free/within-free-terms.ts), so its list shows
 * the price 0 for its clients, and its purchase prices the whole of it: nothing that a client is told to be free can become a charge. What
 * search engines charge the service is not known on other models.
 */
export function withSearchPrice(
  { pricing, service_cost: cost }: EndpointData,
  { price, isFree }: { price: Money; isFree: boolean },
): Prices {
  if (!pricing) return { pricing, serviceCost: cost };
  if (!isFree) return { pricing: { ...pricing, web_search: price }, serviceCost: cost };
  return { pricing: { ...pricing, web_search: Money.zero }, serviceCost: cost && { ...cost, web_search: price } };
}
