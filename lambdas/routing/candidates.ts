import type { Catalog, Endpoint, Model } from '../catalog/catalog.ts';
import type { Modality, Pricing } from '../catalog/schema.ts';
import type { Wire } from '../catalog/wires.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { invalidRequest, notFound } from '../platform/errors.ts';
import { readProviderKey } from '../platform/secrets.ts';
import type { MessagesWire, WireTarget } from '../providers/wire.ts';
import { messagesWire } from '../providers/wires.ts';
import { defaultParameters } from './default-parameters.ts';
import { refuseUnknownNames } from './endpoint-names.ts';
import { misfitOf } from './fit.ts';
import { drawOf } from './spread.ts';
import { inOrder, type EndpointSignals } from './order.ts';
import { preferencesFor, sortsAcrossModels, type Preferences } from './preferences.ts';
import { requestedModels, type RequestedModel } from './requested-models.ts';

/**
 * An endpoint that can answer this request now: it has a price, a codec, and its credential.
 * @typeParam Codec - what speaks its wire: that of messages, unless said otherwise
 */
export interface Candidate<Codec = MessagesWire> {
  /** The model that is named as the one that answered. */
  model: Model;
  endpoint: Endpoint & { pricing: Pricing };
  pricing: Pricing;
  wire: Codec;
  target: WireTarget;
  /** Undefined for an upstream that needs none. */
  credential: string | undefined;
  /** Of its model, only the first candidate that can take the request is asked. */
  isOnlyFirst: boolean;
  /** PEM of certificates that vouch for it besides the usual ones; undefined for most. */
  ca?: string | undefined;
}

/** What decides where a request may go, and in which order. */
export interface RoutingInput {
  catalog: Catalog;
  request: RoutedRequest;
  /** Why an endpoint may not see this prompt; undefined when it may. */
  exclusionOf: (endpoint: Endpoint) => string | undefined;
  signals: EndpointSignals;
  /** The probable size of the prompt. */
  promptTokens: number;
}

/** Endpoints that are tried at most: each costs the time to write the request for it. */
const MAX_CANDIDATES = 6;

/** What of a model may answer, or why nothing does. */
interface Choice<Codec> {
  requested: RequestedModel;
  candidates: Candidate<Codec>[];
  /** Settings and preferences that exclude its endpoints. */
  excludedBy: Set<string>;
  /** What the operator has not set, and for which provider. */
  unset: string[];
}

/** What a request asks models for, and what speaks the wires of endpoints that give it. */
export interface Kind<Codec> {
  output: Modality;
  codecOf: (wire: Wire) => Codec | undefined;
}

const messages: Kind<MessagesWire> = { output: 'text', codecOf: messagesWire };

export function messagesCandidates(input: RoutingInput): Promise<Candidate[]> {
  return candidatesFor(input, messages);
}

/**
 * Endpoints that can answer for the models of a request, in the order in which they are tried: those of the first model,
 * then those of the next, at most six, and at least one of each model that has any.
 * @throws {GatewayError} 400 for a model of another kind, or an unknown provider; 404 for an unknown model, and when no
 *   endpoint may or can be used
 */
export async function candidatesFor<Codec>(input: RoutingInput, kind: Kind<Codec>): Promise<Candidate<Codec>[]> {
  const asked = input.request.provider ?? {};
  refuseUnknownNames(input.catalog, asked);
  const requested = requestedModels(input.catalog, input.request);
  for (const one of requested) refuseOtherKinds(one, kind.output);
  const choices = await Promise.all(requested.map((one) => choiceOf(one, preferencesFor(one, asked), input, kind)));
  const found = choices.filter(({ candidates }) => candidates.length > 0);
  if (found.length === 0) throw nothingFound(choices[0]!);
  const kept = withinLimit(found.map(({ candidates }) => candidates));
  if (!sortsAcrossModels(asked)) return kept;
  return inOrder(kept, preferencesFor(requested[0]!, asked), input.signals, drawOf(input.request));
}

function refuseOtherKinds({ model, field, isOnline }: RequestedModel, output: Modality): void {
  const { output_modalities: makes } = model.data;
  if (!makes.includes(output)) throw invalidRequest(field, `"${model.id}" makes ${makes.join(', ')}, not ${output}`);
  if (isOnline && output !== messages.output) {
    throw invalidRequest(field, `the web is searched for messages alone, not for ${output}; use "${model.id}"`);
  }
}

async function choiceOf<Codec>(
  requested: RequestedModel,
  preferences: Preferences,
  input: RoutingInput,
  kind: Kind<Codec>,
): Promise<Choice<Codec>> {
  const { model } = requested;
  const choice: Choice<Codec> = { requested, candidates: [], excludedBy: new Set(), unset: [] };
  const asked = { message: input.request, promptTokens: input.promptTokens };
  const fitting: Candidate['endpoint'][] = [];
  for (const endpoint of model.endpoints.filter(hasPrice)) {
    const exclusion = input.exclusionOf(endpoint) ?? misfitOf(model, endpoint, preferences, asked);
    if (exclusion === undefined) fitting.push(endpoint);
    else choice.excludedBy.add(exclusion);
  }
  const isOnlyFirst = preferences.allow_fallbacks === false && !preferences.order;
  const found = await Promise.all(fitting.map((endpoint) => toCandidate(model, endpoint, isOnlyFirst, kind)));
  for (const [index, candidate] of found.entries()) {
    if (candidate) choice.candidates.push(candidate);
    else choice.unset.push(whatLacks(fitting[index]!));
  }
  choice.candidates = inOrder(choice.candidates, preferences, input.signals, drawOf(input.request));
  return choice;
}

function hasPrice(endpoint: Endpoint): endpoint is Candidate['endpoint'] {
  return endpoint.pricing !== undefined;
}

/** The lists as one, each cut so that the next ones have a place. */
function withinLimit<Codec>(lists: Candidate<Codec>[][]): Candidate<Codec>[] {
  const kept: Candidate<Codec>[] = [];
  for (const [index, list] of lists.entries()) {
    const waiting = lists.length - 1 - index;
    kept.push(...list.slice(0, Math.max(1, MAX_CANDIDATES - kept.length - waiting)));
  }
  return kept;
}

function nothingFound({ requested: { model, field }, excludedBy, unset }: Choice<unknown>): Error {
  if (unset.length > 0) {
    const lacks = unset.join(', ');
    return notFound(`No provider of "${model.id}" can be used here: its operator has not set ${lacks}.`, { field });
  }
  const reasons = [...excludedBy];
  return notFound(
    `The privacy settings of this key, its workspace or its account, or the request's own "provider", exclude every provider of "${model.id}" (${reasons.join(', ')}). GET /models/user lists what the settings leave, GET /models/${model.id}/endpoints what there is.`,
    { field, excluded_by: reasons },
  );
}

function whatLacks({ provider, unsetVariable }: Endpoint): string {
  return unsetVariable ? `the variable ${unsetVariable} for ${provider.name}` : `a credential for ${provider.name}`;
}

async function toCandidate<Codec>(
  model: Model,
  endpoint: Candidate['endpoint'],
  isOnlyFirst: boolean,
  { codecOf }: Kind<Codec>,
): Promise<Candidate<Codec> | undefined> {
  const wire = codecOf(endpoint.wire);
  if (!wire || endpoint.unsetVariable) return undefined;
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
    isOnlyFirst,
    ca: caVariable ? await readProviderKey(caVariable) : undefined,
  };
}
