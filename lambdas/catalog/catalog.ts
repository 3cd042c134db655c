import { ModelNames } from './model-names.ts';
import { fillPlaceholders } from './placeholders.ts';
import { quirksOf, wireOf } from './quirks.ts';
import type { AliasData, DataPolicy, EndpointData, ModelData, Pricing, ProviderData } from './schema.ts';
import type { AuthScheme } from './auth-schemes.ts';
import { nowMs } from '../platform/clock.ts';
import {
  covers,
  priceMomentsOf,
  periodBetween,
  pricesAt,
  pricesInTime,
  type PricePeriod,
  type Timed,
} from './price-periods.ts';
import { buildSearch, withSearchPrice, type CatalogSearch } from './search.ts';
import type { SearchData } from './search-schema.ts';
import { factsOf, type InputModality, type Wire } from './wires.ts';
import type { Quirks } from './quirk-schemas.ts';

export interface Endpoint {
  id: string;
  provider: Provider;
  wire: Wire;
  auth: AuthScheme;
  upstreamModel: string;
  /**
   * Name of an unset environment variable that the upstream model's name needs. The endpoint is then listed, but gets
   * no requests.
   */
  unsetVariable: string | undefined;
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
  inputModalities: readonly InputModality[];
  supportedParameters: readonly string[];
  /** Prices in force. An endpoint without prices is listed, and gets no requests. */
  pricing: Pricing | undefined;
  /** Prices that the operator pays to the provider. Required on free models. */
  serviceCost: Pricing | undefined;
  /** Prices for all times; absent if they never change. */
  periods?: Timed['periods'];
  /** Quirks of the endpoint. Their type has only the quirks that several wires have in common (quirk-schemas.ts). */
  quirks: Quirks;
  /** Policy of the endpoint, or else of its provider. */
  dataPolicy: DataPolicy;
  data: EndpointData;
}

/** Returns the provider's id and the known quantization, such as "acme/fp8". */
export function endpointTag({ provider, data }: Endpoint): string {
  return data.quantization ? `${provider.id}/${data.quantization}` : provider.id;
}

interface Provider {
  id: string;
  name: string;
  baseUrl: string;
  data: ProviderData;
}

export interface Model {
  id: string;
  endpoints: Endpoint[];
  /** Model for which this alias stands; undefined if this is not an alias. */
  aliasOf: Model | undefined;
  data: ModelData;
  /** Version of the catalog with this model. */
  catalogVersion: string;
}

/** Period in which no price changes, and a function that builds the catalog for another time. */
interface CatalogTiming extends PricePeriod {
  at: (atMs: number) => Catalog;
}

/** A valid catalog, in the order of the files. */
export class Catalog {
  readonly models: readonly Model[];
  /** Identifies the content of the files. */
  readonly version: string;
  /** Ids of all providers in the files, even if their URL is not configured. */
  readonly providerIds: readonly string[];
  /** Search settings; undefined if the catalog has no search. */
  readonly search: CatalogSearch | undefined;
  /** Providers whose URL is not configured, with the number of models that each would offer. */
  readonly withoutAddress: readonly { data: ProviderData; models: number }[];
  readonly #byId: Map<string, Model>;
  readonly #timing: CatalogTiming | undefined;
  /** Built when a name that is not an id is first looked up. */
  #names: ModelNames<Model> | undefined;
  /** The same catalog with the prices of another time, built last. */
  #atOtherTime: Catalog | undefined;

  constructor(
    models: Model[],
    providerIds: string[],
    version: string,
    search?: CatalogSearch,
    withoutAddress: Catalog['withoutAddress'] = [],
    timing?: CatalogTiming,
  ) {
    this.#timing = timing;
    this.withoutAddress = withoutAddress;
    this.models = models;
    this.search = search;
    this.version = version;
    this.providerIds = providerIds;
    this.#byId = new Map(models.map((model) => [model.id, model]));
  }

  /** Returns this catalog with the prices in force at the given time. */
  at(atMs: number): Catalog {
    if (!this.#timing || this.isInForce(atMs)) return this;
    if (!this.#atOtherTime?.isInForce(atMs)) this.#atOtherTime = this.#timing.at(atMs);
    return this.#atOtherTime;
  }

  /** Whether the prices of this catalog are in force at the given time. */
  isInForce(atMs: number): boolean {
    return this.#timing === undefined || covers(this.#timing, atMs);
  }

  /** Returns the model or alias with this id. An alias is a model whose `aliasOf` is set. */
  find(id: string): Model | undefined {
    return this.#byId.get(id);
  }

  /** Returns the model with this id, or with this other unambiguous name (model-names.ts). */
  meant(name: string): Model | undefined {
    return this.find(name) ?? (this.#names ??= new ModelNames(this.models)).find(name);
  }
}

/** Content of the catalog's files, read and checked. */
export interface CatalogFiles {
  providers: ProviderData[];
  models: ModelData[];
  aliases: AliasData[];
  search: SearchData | undefined;
  /** Hash of the content. */
  version: string;
}

interface Surroundings {
  valueOf: (variable: string) => string | undefined;
  search: CatalogSearch | undefined;
  /** Time at which the prices must be in force. */
  atMs: number;
}

/**
 * Builds the catalog from files that have passed `checkModels`. Omits endpoints of providers without a URL, and
 * models without an endpoint that has a price.
 */
export function buildCatalog(files: CatalogFiles, valueOf: Surroundings['valueOf'], atMs: number = nowMs()): Catalog {
  const search = files.search && buildSearch(files.search, valueOf);
  const providers = new Map<string, Provider>();
  for (const data of files.providers) {
    const baseUrl = data.base_url ?? valueOf(data.base_url_variable!);
    if (baseUrl) providers.set(data.id, { id: data.id, name: data.name, baseUrl: baseUrl.replace(/\/+$/, ''), data });
  }
  const models = files.models.flatMap((data) => {
    const endpoints = data.endpoints.flatMap((endpoint) => {
      const provider = providers.get(endpoint.provider);
      return provider ? [resolveEndpoint(data, endpoint, provider, { valueOf, search, atMs })] : [];
    });
    const { version: catalogVersion } = files;
    return endpoints.some(({ pricing }) => pricing)
      ? [{ id: data.id, endpoints, aliasOf: undefined, data, catalogVersion }]
      : [];
  });
  const byId = new Map(models.map((model) => [model.id, model]));
  const aliases = files.aliases.flatMap((alias) => {
    const target = byId.get(alias.target);
    return target ? [aliasModel(alias, target)] : [];
  });
  return new Catalog(
    [...models, ...aliases],
    files.providers.map(({ id }) => id),
    files.version,
    search,
    files.providers
      .filter(({ id }) => !providers.has(id))
      .map((data) => ({ data, models: modelsAt(data.id, files.models) })),
    { ...periodBetween(priceChangesIn(files), atMs), at: (otherMs) => buildCatalog(files, valueOf, otherMs) },
  );
}

/** Returns the moments at which a price changes. */
function priceChangesIn({ models }: Pick<CatalogFiles, 'models'>): number[] {
  const endpoints = models.flatMap((model) => model.endpoints);
  return priceMomentsOf(endpoints.flatMap(({ pricing, service_cost: cost }) => pricesInTime(pricing, cost)));
}

function modelsAt(providerId: string, models: ModelData[]): number {
  return models.filter(({ endpoints }) => endpoints.some(({ provider }) => provider === providerId)).length;
}

function resolveEndpoint(
  model: ModelData,
  data: EndpointData,
  provider: Provider,
  { valueOf, search, atMs }: Surroundings,
): Endpoint {
  const wire = wireOf(data, provider.data);
  const upstreamModel = fillPlaceholders(data.upstream_model, valueOf);
  const maySearch = model.output_modalities.includes('text') && factsOf(wire).messages !== undefined;
  const isFree = model.service_free !== undefined;
  const periods = pricesInTime(data.pricing, data.service_cost).map((prices) => {
    // Without the operator's cost, a free endpoint gets no price, and thus no requests. Otherwise, its requests would
    // escape the limits of free models.
    if (isFree && !prices.serviceCost) return { ...prices, pricing: undefined };
    return search && maySearch ? withSearchPrice(prices, { price: search.price, isFree }) : prices;
  });
  const [always] = periods as [(typeof periods)[number]];
  return {
    id: data.id,
    provider,
    wire,
    auth: provider.data.auth ?? factsOf(wire).auth,
    upstreamModel: upstreamModel.text,
    unsetVariable: upstreamModel.unset,
    contextLength: data.context_length ?? model.context_length,
    maxOutputTokens: data.max_output_tokens,
    inputModalities: data.input_modalities ?? model.input_modalities,
    supportedParameters: data.supported_parameters ?? model.supported_parameters,
    ...pricesAt({ ...always, periods }, atMs),
    ...(periods.length > 1 ? { periods } : {}),
    quirks: quirksOf(data, provider.data),
    dataPolicy: data.data_policy ?? provider.data.data_policy,
    data,
  };
}

function aliasModel(alias: AliasData, target: Model): Model {
  return {
    ...target,
    id: alias.alias,
    aliasOf: target,
    data: { ...target.data, id: alias.alias, name: alias.name },
  };
}
