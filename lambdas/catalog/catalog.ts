import { ModelNames } from './model-names.ts';
import { fillPlaceholders } from './placeholders.ts';
import { quirksOf, wireOf } from './quirks.ts';
import type { AliasData, DataPolicy, EndpointData, ModelData, Pricing, ProviderData } from './schema.ts';
import type { AuthScheme } from './auth-schemes.ts';
import { buildSearch, withSearchPrice, type CatalogSearch } from './search.ts';
import type { SearchData } from './search-schema.ts';
import { factsOf, type InputModality, type Wire } from './wires.ts';
import type { Quirks } from './quirk-schemas.ts';

/** An endpoint of a model: provider, address, wire and prices. */
export interface Endpoint {
  id: string;
  provider: Provider;
  wire: Wire;
  auth: AuthScheme;
  upstreamModel: string;
  /**
   * Name of an environment variable that is needed for the upstream model's name and is not set; otherwise undefined.
   * Such an endpoint is listed but not used.
   */
  unsetVariable: string | undefined;
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
  inputModalities: readonly InputModality[];
  supportedParameters: readonly string[];
  /** Prices of the endpoint; undefined if it has none. An endpoint without prices is listed, and gets no requests. */
  pricing: Pricing | undefined;
  /** Prices that the provider charges the service. Set on free models, whose clients pay nothing. */
  serviceCost: Pricing | undefined;
  /**
   * Quirks of the endpoint: differences from the standard form of its wire. The codec of the wire defines their type.
   */
  quirks: Quirks;
  /** Data policy of the endpoint; if it has none, that of its provider. */
  dataPolicy: DataPolicy;
  data: EndpointData;
}

/** Returns the provider's id, followed by the quantization of the endpoint if it is known, such as "acme/fp8". */
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
  /** Model of which this is an alias; undefined if this is not an alias. */
  aliasOf: Model | undefined;
  data: ModelData;
  /**
   * Version of the catalog to which this model belongs. A request keeps its catalog, even if a new catalog is
   * published.
   */
  catalogVersion: string;
}

/** A valid catalog. All references are resolved, all ids are unique, and the order is that of the files. */
export class Catalog {
  readonly models: readonly Model[];
  /** Identifies the content of the files. Records contain the version, which shows which prices applied. */
  readonly version: string;
  /** Ids of all providers, including providers whose address is not configured. */
  readonly providerIds: readonly string[];
  /** Settings of web search; undefined if the catalog has no search. */
  readonly search: CatalogSearch | undefined;
  /** Providers whose address is not configured, with the number of models that each would offer. */
  readonly withoutAddress: readonly { data: ProviderData; models: number }[];
  readonly #byId: Map<string, Model>;
  /** Names of models other than their ids. They are built when a name that is not an id is first looked up. */
  #names: ModelNames<Model> | undefined;

  constructor(
    models: Model[],
    providerIds: string[],
    version: string,
    search?: CatalogSearch,
    withoutAddress: Catalog['withoutAddress'] = [],
  ) {
    this.withoutAddress = withoutAddress;
    this.models = models;
    this.search = search;
    this.version = version;
    this.providerIds = providerIds;
    this.#byId = new Map(models.map((model) => [model.id, model]));
  }

  /** Returns the model with an id. For an alias, returns the alias itself, with `aliasOf` set. */
  find(id: string): Model | undefined {
    return this.#byId.get(id);
  }

  /** Returns the model for a client's name: its id, or another unambiguous name (model-names.ts). */
  meant(name: string): Model | undefined {
    return this.find(name) ?? (this.#names ??= new ModelNames(this.models)).find(name);
  }
}

/** Content of a catalog's files, read and checked. */
export interface CatalogFiles {
  providers: ProviderData[];
  models: ModelData[];
  aliases: AliasData[];
  search: SearchData | undefined;
  /** Hash of the content of the files. */
  version: string;
}

/** Values that are needed to resolve the endpoints of a catalog. */
interface Surroundings {
  valueOf: (variable: string) => string | undefined;
  search: CatalogSearch | undefined;
}

/**
 * Builds the catalog from files that have passed `checkModels`. Omits providers without an address, and models that no
 * remaining provider offers at a price.
 */
export function buildCatalog(files: CatalogFiles, valueOf: Surroundings['valueOf']): Catalog {
  const search = files.search && buildSearch(files.search, valueOf);
  const providers = new Map<string, Provider>();
  for (const data of files.providers) {
    const baseUrl = data.base_url ?? valueOf(data.base_url_variable!);
    if (baseUrl) providers.set(data.id, { id: data.id, name: data.name, baseUrl: baseUrl.replace(/\/+$/, ''), data });
  }
  const models = files.models.flatMap((data) => {
    const endpoints = data.endpoints.flatMap((endpoint) => {
      const provider = providers.get(endpoint.provider);
      return provider ? [resolveEndpoint(data, endpoint, provider, { valueOf, search })] : [];
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
  );
}

function modelsAt(providerId: string, models: ModelData[]): number {
  return models.filter(({ endpoints }) => endpoints.some(({ provider }) => provider === providerId)).length;
}

function resolveEndpoint(
  model: ModelData,
  data: EndpointData,
  provider: Provider,
  { valueOf, search }: Surroundings,
): Endpoint {
  const wire = wireOf(data, provider.data);
  const upstreamModel = fillPlaceholders(data.upstream_model, valueOf);
  const maySearch = model.output_modalities.includes('text') && factsOf(wire).messages !== undefined;
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
    pricing: data.pricing,
    serviceCost: data.service_cost,
    ...(search && maySearch
      ? withSearchPrice(data, { price: search.price, isFree: model.service_free !== undefined })
      : {}),
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
