/** Lists the endpoints that are excluded for a request, with the reasons, for estimates. */

import type { Endpoint, Model } from '../catalog/catalog.ts';
import { GatewayError } from '../platform/errors.ts';

/** Reasons in the privacy settings of the key, its workspace or its account. */
const settingsReasons = [
  'allowed_providers',
  'ignored_providers',
  'data_policy:logging',
  'data_policy:training',
] as const;
/** Reasons in the request's `provider` field, or in the model's routing defaults. */
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
/** Other reasons: for example, the endpoint lacks a feature, or other endpoints come first. */
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

export interface EndpointOfModel {
  model: Pick<Model, 'id'>;
  endpoint: Pick<Endpoint, 'id' | 'provider'>;
}

export interface ExcludedEndpoint extends EndpointOfModel {
  reason: ExclusionReason;
  /** Part of the request that the endpoint does not support; undefined if `reason` already explains the exclusion. */
  message: string | undefined;
}

/** Called for each excluded endpoint; undefined if the exclusions are not needed. */
export type OnExcluded = ((which: EndpointOfModel, reason: ExclusionReason, error?: unknown) => void) | undefined;

/** Excluded endpoints of a request, each listed once with its latest reason. */
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
