import type { Endpoint, Model } from '../catalog/catalog.ts';
import { GatewayError } from '../platform/errors.ts';

const settingsReasons = [
  'allowed_providers',
  'ignored_providers',
  'data_policy:logging',
  'data_policy:training',
] as const;
/**
 * Preferences that exclude endpoints. They are in the request's `provider` field, or in the model's routing defaults.
 */
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
  /** Error message about the unsupported part of the request; undefined for reasons without an error. */
  message: string | undefined;
}

export type OnExcluded = ((which: EndpointOfModel, reason: ExclusionReason, error?: unknown) => void) | undefined;

/** Excluded endpoints of a request, each once with its latest reason. */
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

/**
 * Returns the results of `accept` for the candidates. A candidate is excluded if `accept` throws, and skipped if the
 * result is undefined.
 * @throws {GatewayError} the first refusal, if there is no result
 */
export function acceptedBy<Candidate extends EndpointOfModel, Result>(
  candidates: readonly Candidate[],
  accept: (candidate: Candidate, before: readonly Result[]) => Result | undefined,
  onExcluded: OnExcluded,
): Result[] {
  const results: Result[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    try {
      const result = accept(candidate, results);
      if (result !== undefined) results.push(result);
    } catch (error) {
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
    }
  }
  if (results.length === 0) throw refusal;
  return results;
}
