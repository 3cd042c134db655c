import { append } from '../platform/append.ts';
import type { Catalog, Endpoint, Model } from '../catalog/catalog.ts';
import { hasPrice, type Priced } from '../catalog/default-route.ts';
import type { Modality } from '../catalog/modality.ts';
import type { RoutedRequest } from '../messages/preferences.ts';
import { GatewayError, invalidRequest, notFound } from '../platform/errors.ts';
import { readProviderKey } from '../platform/secrets/secrets.ts';
import type { WireTarget } from '../providers/wire.ts';
import { refuseUnknownNames } from './endpoint-names.ts';
import type { OnExcluded, SettingsReason } from './exclusions.ts';
import { heldPricesOf, type PricedOffer } from './dispatched-prices.ts';
import { leftOutFields } from './left-out.ts';
import { misfitOf } from './preference-filter.ts';
import { inOrder, type EndpointSignals } from './order.ts';
import { preferencesFor, sortsAcrossModels, type Preferences } from './preferences.ts';
import type { ModelCheck, RequestedModel } from './requested-models.ts';
import { requestedRoute, type RequestedRoute } from './requested-route.ts';
import type { WarmPrompt } from './warm-prompt.ts';

type PricedEndpoint = Priced<Endpoint>;

/**
 * Number that is added to an endpoint's unsupported tuning fields if the endpoint may cut the answer off. It exceeds
 * the number of all tuning fields, so that endpoints with enough room for the answer come first.
 */
const LACK_OF_OUTPUT = 1_000;

/** An endpoint that has a price and, if needed, a credential. */
export interface UsableEndpoint extends PricedOffer {
  model: Model;
  /** Undefined if the provider needs no credential. */
  credential: string | undefined;
  /** Additional trusted certificates for the provider, in PEM. */
  ca?: string | undefined;
  /** Whether only the first endpoint that supports the request may be used. */
  isOnlyFirst: boolean;
}

/** Returns the endpoint's data for a `BatchEngine`. */
export function engineTarget({ endpoint }: UsableEndpoint): WireTarget {
  const { provider, upstreamModel, maxOutputTokens, supportedParameters, quirks, data } = endpoint;
  return { providerId: provider.id, upstreamModel, maxOutputTokens, supportedParameters, image: data.image, quirks };
}

export interface RoutingInput {
  /** Returns the setting that excludes an endpoint; undefined if the endpoint may get the prompt. */
  exclusionOf: (endpoint: Endpoint) => SettingsReason | undefined;
  signals: EndpointSignals;
  /** Estimated size of the prompt in tokens. */
  promptTokens: number;
  warmPrompt?: WarmPrompt | undefined;
  onExcluded?: OnExcluded | undefined;
}

export interface AnswerKind<Candidate extends UsableEndpoint> {
  makes: Modality;
  /** Returns the candidate; undefined if the endpoint's format (wire) does not support this modality. */
  toCandidate: (usable: UsableEndpoint) => Candidate | undefined;
}

/** Maximum number of endpoints to try. The limit exists because encoding the request for each endpoint takes time. */
const MAX_CANDIDATES = 6;

interface Choice<Candidate> {
  requested: RequestedModel;
  preferences: Preferences;
  candidates: Candidate[];
  /** Names of the settings and preferences that exclude endpoints of the model. */
  excludedBy: Set<string>;
  /** Environment variables that the operator would have to set, each with its provider. */
  unset: string[];
}

/** A request to route. The member `check` is undefined if the caller may call all models. */
export interface RequestedIn {
  catalog: Catalog;
  request: RoutedRequest;
  check: ModelCheck | undefined;
}

/**
 * Returns the endpoints for a request; see `endpointsOnRoute`.
 * @throws {GatewayError} the errors of `endpointsOnRoute`; 400 for an unknown provider; 404 for an unknown model; 403
 *   for a model that the caller may not call
 */
export async function usableEndpoints<Candidate extends UsableEndpoint>(
  { catalog, request, check }: RequestedIn,
  input: RoutingInput,
  kind: AnswerKind<Candidate>,
): Promise<Candidate[]> {
  refuseUnknownNames(catalog, request.provider ?? {});
  return endpointsOnRoute(requestedRoute(catalog, request, { check }), input, kind);
}

/**
 * Returns the endpoints for the models of a request, in the order of attempts. Endpoints of the first model come before
 * those of the next model, unless the request sorts all together. Returns at most six endpoints, but at least one of
 * each model that has any.
 * @throws {GatewayError} 400 for a model that does not give answers of this kind, or for a suffix that contradicts the
 *   request; 404 if settings or preferences exclude every endpoint; 502 if the operator has not set a credential or
 *   another variable
 */
export async function endpointsOnRoute<Candidate extends UsableEndpoint>(
  route: RequestedRoute,
  input: RoutingInput,
  kind: AnswerKind<Candidate>,
): Promise<Candidate[]> {
  for (const one of route.models) for (const made of [kind.makes, ...route.media]) refuseOtherKinds(one, made);
  const choices = await Promise.all(route.models.map((one) => choiceOf(one, route, input, kind)));
  const found = choices.filter(({ candidates }) => candidates.length > 0);
  if (found.length === 0) throw nothingFound(choices[0]!);
  const { signals, promptTokens, warmPrompt, onExcluded } = input;
  const warmth = warmPrompt && { prompt: warmPrompt, promptTokens };
  const lacking = (endpoint: Endpoint) =>
    (kind.makes === 'text' ? lackOfRoom(endpoint, promptTokens, route.maxTokens) : 0) +
    leftOutFields(route.tunings, endpoint).length;
  const ordered = (candidates: Candidate[], preferences: Preferences) =>
    inOrder(candidates, preferences, signals, route.draw, warmth, lacking);
  const lists = found.map(({ candidates, preferences }) => ordered(candidates, preferences));
  const kept = withinLimit(lists);
  for (const cut of lists.flat().filter((candidate) => !kept.includes(candidate))) {
    onExcluded?.(cut, 'too_many_endpoints');
  }
  return sortsAcrossModels(route.preferences) ? ordered(kept, choices[0]!.preferences) : kept;
}

/**
 * Returns how much room an endpoint lacks: Infinity if the prompt is longer than the endpoint's context; LACK_OF_OUTPUT
 * if an answer of the requested length might be cut off; otherwise 0.
 */
function lackOfRoom({ contextLength = Infinity, maxOutputTokens }: Endpoint, prompt: number, answer = 0): number {
  if (prompt > contextLength) return Infinity;
  return answer > Math.min(maxOutputTokens ?? Infinity, contextLength - prompt) ? LACK_OF_OUTPUT : 0;
}

/**
 * Returns the endpoint with its credential; undefined if the operator has not set the credential or another variable.
 */
export async function withCredential(
  model: Model,
  endpoint: PricedEndpoint,
  isOnlyFirst: boolean,
): Promise<UsableEndpoint | undefined> {
  if (endpoint.unsetVariable) return undefined;
  const { credential: variable, ca_variable: caVariable } = endpoint.provider.data;
  const credential = variable ? await readProviderKey(variable) : undefined;
  if (variable && !credential) return undefined;
  const ca = caVariable ? await readProviderKey(caVariable) : undefined;
  return { model, endpoint, pricing: endpoint.pricing, held: heldPricesOf(endpoint), credential, isOnlyFirst, ca };
}

function refuseOtherKinds({ model, field, isOnline }: RequestedModel, wanted: Modality): void {
  const { output_modalities: makes } = model.data;
  if (!makes.includes(wanted)) throw invalidRequest(field, `"${model.id}" makes ${makes.join(', ')}, not ${wanted}`);
  if (isOnline && wanted !== 'text') {
    throw invalidRequest(field, `":online" works only for text, not for ${wanted}; use "${model.id}"`);
  }
}

async function choiceOf<Candidate extends UsableEndpoint>(
  requested: RequestedModel,
  route: RequestedRoute,
  input: RoutingInput,
  { toCandidate }: AnswerKind<Candidate>,
): Promise<Choice<Candidate>> {
  const { model } = requested;
  const { onExcluded } = input;
  const preferences = preferencesFor(requested, route.preferences);
  const choice: Choice<Candidate> = { requested, preferences, candidates: [], excludedBy: new Set(), unset: [] };
  const preferred = { parameters: route.parameters, tunings: route.tunings, promptTokens: input.promptTokens };
  const fitting: PricedEndpoint[] = [];
  for (const endpoint of model.endpoints) {
    if (!hasPrice(endpoint)) {
      onExcluded?.({ model, endpoint }, 'no_price');
      continue;
    }
    const exclusion = input.exclusionOf(endpoint) ?? misfitOf(model, endpoint, preferences, preferred);
    if (exclusion === undefined) {
      fitting.push(endpoint);
      continue;
    }
    choice.excludedBy.add(exclusion);
    onExcluded?.({ model, endpoint }, exclusion);
  }
  const isOnlyFirst = preferences.allow_fallbacks === false && !preferences.order;
  const found = await Promise.all(fitting.map((endpoint) => withCredential(model, endpoint, isOnlyFirst)));
  for (const [index, usable] of found.entries()) {
    const candidate = usable && toCandidate(usable);
    if (candidate) {
      choice.candidates.push(candidate);
      continue;
    }
    const endpoint = fitting[index]!;
    if (!usable) choice.unset.push(whatLacks(endpoint));
    onExcluded?.({ model, endpoint }, usable ? 'other_answers' : 'no_credential');
  }
  return choice;
}

/** Concatenates lists up to the maximum, with at least one entry of each list. */
function withinLimit<Candidate>(lists: Candidate[][]): Candidate[] {
  const kept: Candidate[] = [];
  for (const [index, list] of lists.entries()) {
    const waiting = lists.length - 1 - index;
    append(kept, list.slice(0, Math.max(1, MAX_CANDIDATES - kept.length - waiting)));
  }
  return kept;
}

function nothingFound({ requested: { model, field }, excludedBy, unset }: Choice<unknown>): Error {
  if (unset.length > 0) {
    const lacks = unset.join(', ');
    // Some clients replace the message of a 404, which would hide the name of the missing setting.
    return new GatewayError(
      'provider_unavailable',
      `This gateway cannot use any provider of "${model.id}", because its operator has not set ${lacks}.`,
      { metadata: { field } },
    ).discourageRetry();
  }
  const reasons = [...excludedBy];
  if (reasons.length === 0) return invalidRequest(field, `no endpoint of "${model.id}" gives answers of this kind`);
  return notFound(
    `The privacy settings of this key, its workspace or its account, or the request's own "provider", exclude every provider of "${model.id}" (${reasons.join(', ')}). GET /models/user lists the allowed models.`,
    { field, excluded_by: reasons },
  );
}

function whatLacks({ provider, unsetVariable }: Endpoint): string {
  return unsetVariable
    ? `the variable ${unsetVariable} for ${provider.name}`
    : `a credential for ${provider.name} (${provider.data.credential})`;
}
