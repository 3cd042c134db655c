import type { Catalog, Endpoint, Model } from '../catalog/catalog.ts';
import { cheapestFirst } from '../catalog/default-route.ts';
import type { Pricing } from '../catalog/schema.ts';
import { invalidRequest, notFound } from '../platform/errors.ts';
import type { MessagesWire, WireTarget } from '../providers/wire.ts';
import { messagesWire } from '../providers/wires.ts';
import { defaultParameters } from './default-parameters.ts';
import { readProviderKey } from '../platform/secrets.ts';

/** An endpoint that can answer this request now: it has a price, a codec, and its credential. */
export interface Candidate {
  /** The model that is named as the one that answered. */
  model: Model;
  endpoint: Endpoint;
  pricing: Pricing;
  wire: MessagesWire;
  target: WireTarget;
  /** Undefined for an upstream that needs none. */
  credential: string | undefined;
  /** PEM of certificates that vouch for it besides the usual ones; undefined for most. */
  ca?: string | undefined;
}

/** @throws {GatewayError} 404 for an id that the catalog does not know. */
export function resolveModel(catalog: Catalog, id: string): Model {
  const model = catalog.find(id);
  if (!model) throw notFound(`There is no model "${id}". GET /models lists the catalog's ids.`, { field: 'model' });
  return model.aliasOf ?? model;
}

/**
 * Endpoints that can answer messages for a model, in the order in which they are tried: the cheapest first.
 * @param exclusionOf why an endpoint may not see this prompt; undefined when it may
 * @throws {GatewayError} 400 for a model of another kind, 404 when none of its providers may or can be used.
 */
export async function messagesCandidates(
  model: Model,
  exclusionOf: (endpoint: Endpoint) => string | undefined,
): Promise<Candidate[]> {
  if (!model.data.output_modalities.includes('text')) {
    throw invalidRequest('model', `"${model.id}" makes ${model.data.output_modalities.join(', ')}, not text`);
  }
  const offers = cheapestFirst(model.endpoints);
  const allowed = offers.filter((endpoint) => exclusionOf(endpoint) === undefined);
  if (allowed.length === 0) throw allExcluded(model, offers.map(exclusionOf));
  const found = await Promise.all(allowed.map((endpoint) => toCandidate(model, endpoint)));
  const candidates = found.filter((candidate) => candidate !== undefined);
  if (candidates.length === 0) {
    throw notFound(`No provider of "${model.id}" can be used here: its operator has not set ${whatLacks(allowed)}.`, {
      field: 'model',
    });
  }
  return candidates;
}

function allExcluded(model: Model, exclusions: (string | undefined)[]): Error {
  const reasons = new Set(exclusions);
  return notFound(
    `The privacy settings of this key, its workspace or its account exclude every provider of "${model.id}" (${[...reasons].join(', ')}). GET /models/user lists what is left.`,
    { field: 'model', excluded_by: [...reasons] },
  );
}

function whatLacks(endpoints: readonly Endpoint[]): string {
  const lacks = endpoints.map(({ provider, unsetVariable }) =>
    unsetVariable ? `the variable ${unsetVariable} for ${provider.name}` : `a credential for ${provider.name}`,
  );
  return lacks.join(', ');
}

async function toCandidate(model: Model, endpoint: Endpoint): Promise<Candidate | undefined> {
  const wire = messagesWire(endpoint.wire);
  if (!wire || !endpoint.pricing || endpoint.unsetVariable) return undefined;
  const { credential: variable, ca_variable: caVariable } = endpoint.provider.data;
  const credential = variable ? await readProviderKey(variable) : undefined;
  if (variable && !credential) return undefined;
  return {
    model,
    endpoint,
    pricing: endpoint.pricing,
    wire,
    target: {
      providerId: endpoint.provider.id,
      upstreamModel: endpoint.upstreamModel,
      maxOutputTokens: endpoint.maxOutputTokens,
      inputModalities: endpoint.inputModalities,
      // A default for a parameter implies that the model supports it.
      supportedParameters: [...endpoint.supportedParameters, ...Object.keys(defaultParameters(model.data))],
      quirks: endpoint.quirks,
    },
    credential,
    ca: caVariable ? await readProviderKey(caVariable) : undefined,
  };
}
