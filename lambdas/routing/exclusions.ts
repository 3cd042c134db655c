/** Endpoints of a request's models that are not asked, and why: for whoever wants to know it beforehand. */

import type { Endpoint, Model } from '../catalog/catalog.ts';
import { GatewayError } from '../platform/errors.ts';

/** Privacy settings of the key, its workspace or its account. */
const settingsReasons = [
  'allowed_providers',
  'ignored_providers',
  'data_policy:logging',
  'data_policy:training',
] as const;
/** Fields of the request's own `provider`, or of the model's usual routing. */
const preferenceReasons = [
  'only',
  'ignore',
  'order',
  'quantizations',
  'data_collection',
  'zdr',
  'enforce_distillable_text',
  'require_parameters',
  'max_price',
] as const;
/** Something that the endpoint itself lacks, or an endpoint that comes before it. */
const otherReasons = [
  'no_price',
  'no_credential',
  'other_answers',
  'too_many_endpoints',
  'no_fallbacks',
  'request_not_supported',
  'no_room',
  'free_limit',
] as const;

export const leftOutReasons = [...settingsReasons, ...preferenceReasons, ...otherReasons] as const;
export type SettingsReason = (typeof settingsReasons)[number];
export type PreferenceReason = (typeof preferenceReasons)[number];
export type ExclusionReason = (typeof leftOutReasons)[number];

/** An endpoint of a model. */
export interface EndpointOfModel {
  model: Pick<Model, 'id'>;
  endpoint: Pick<Endpoint, 'id' | 'provider'>;
}

export interface ExcludedEndpoint extends EndpointOfModel {
  reason: ExclusionReason;
  /** The part of the request that the endpoint does not take; undefined if the reason says everything. */
  message: string | undefined;
}

/** Hears of each endpoint that is left out. Undefined where nobody wants to know. */
export type OnExcluded = ((which: EndpointOfModel, reason: ExclusionReason, error?: unknown) => void) | undefined;

/** The endpoints that were left out of a request, each once: by what was said of it last. */
export class ExclusionList {
  readonly #byId = new Map<string, ExcludedEndpoint>();

  readonly add: NonNullable<OnExcluded> = ({ model, endpoint }, reason, error) => {
    const message = error instanceof GatewayError ? error.message : undefined;
    this.#byId.set(`${model.id} ${endpoint.id}`, { model, endpoint, reason, message });
  };

  all(): ExcludedEndpoint[] {
    return [...this.#byId.values()];
  }
}
