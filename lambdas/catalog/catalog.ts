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
  /** An unset variable that the upstream model needs. The endpoint is then listed but not used. */
  unsetVariable: string | undefined;
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
  inputModalities: readonly InputModality[];
  supportedParameters: readonly string[];
  /** Undefined: listed, never routed to. */
  pricing: Pricing | undefined;
  /** The provider's prices for the service; set on free models, whose clients pay nothing. */
  serviceCost: Pricing | undefined;
  /** Quirks of the endpoint's own wire only. The wire's codec has their type. */
  quirks: Quirks;
  /** The endpoint's own policy, or else its provider's. */
  dataPolicy: DataPolicy;
  data: EndpointData;
}

/** Provider and quantization of an endpoint: "acme/fp8". */
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
  /** Set on an alias: the model that it stands for. */
  aliasOf: Model | undefined;
  data: ModelData;
  /**
   * Version of the catalog with this model. A request keeps its catalog, even if another catalog replaces it in the
   * meantime.
   */
  catalogVersion: string;
}

/** A valid catalog: every reference is resolved, every id unique, and the order is that of the files. */
export class Catalog {
  readonly models: readonly Model[];
  /** Identifies the content of the files. Records name it, to show which prices applied. */
  readonly version: string;
  /** Ids of all providers, including providers without an address here. */
  readonly providerIds: readonly string[];
  /** Undefined: this catalog has no web search. */
  readonly search: CatalogSearch | undefined;
  /** Providers whose address is not set here, with the number of models that each would offer. */
  readonly withoutAddress: readonly { data: ProviderData; models: number }[];
  readonly #byId: Map<string, Model>;
  /** Built at the first lookup of a name that is not an id. */
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

  /** The model with this id. An alias is returned itself, with `aliasOf`. */
  find(id: string): Model | undefined {
    return this.#byId.get(id);
  }

  /** The model for a client's name: its id, or another unambiguous name (model-names.ts). */
  meant(name: string): Model | undefined {
    return this.find(name) ?? (this.#names ??= new ModelNames(this.models)).find(name);
  }
}

/** Content of the files of a catalog, read and checked. */
export interface CatalogFiles {
  providers: ProviderData[];
  models: ModelData[];
  aliases: AliasData[];
  search: SearchData | undefined;
  /** Hash of their content. */
  version: string;
}

/** Dependencies of all endpoints of a catalog. */
interface Surroundings {
  valueOf: (variable: string) => string | undefined;
  search: CatalogSearch | undefined;
}

/**
 * Builds the catalog from files that have passed `checkModels`. It omits providers without an address, and models that
 * no remaining provider offers at a price.
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
