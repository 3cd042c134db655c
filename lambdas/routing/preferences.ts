import type { ProviderPreferences, SortBy } from '../messages/preferences.ts';
import { invalidRequest } from '../platform/errors.ts';
import type { RequestedModel } from './requested-models.ts';
import { isAbsentOrEmpty } from '../messages/field-kinds.ts';

/** Preferences for one model: fields of the request, or else defaults of the model's catalog entry. */
export type Preferences = {
  readonly [Field in Exclude<keyof ProviderPreferences, 'sort'>]?: SetValue<ProviderPreferences[Field]> | undefined;
} & { readonly sort?: SortBy | undefined };
type SetValue<Value> = NonNullable<Value> extends (infer Element)[] ? readonly Element[] : NonNullable<Value>;

/**
 * Merges the request's preferences with the model's defaults.
 * @throws {GatewayError} 400 if the model's suffix and the request name different sorts
 */
export function preferencesFor(
  { model, sort: bySuffix }: Pick<RequestedModel, 'model' | 'sort'>,
  requested: ProviderPreferences,
): Preferences {
  const byRequest = sortOf(requested);
  if (bySuffix && byRequest && bySuffix !== byRequest) {
    throw invalidRequest(
      'provider.sort',
      `is "${byRequest}", but the suffix of the model means "${bySuffix}"; use only one of them`,
    );
  }
  const usual = model.data.routing ?? {};
  const given = Object.entries(requested).filter(([, value]) => !isAbsentOrEmpty(value));
  return { ...usual, ...Object.fromEntries(given), sort: bySuffix ?? byRequest ?? usual.sort };
}

function sortOf({ sort }: ProviderPreferences): SortBy | undefined {
  return typeof sort === 'string' ? sort : sort?.by;
}

/** Whether the endpoints of all models are sorted together, instead of model by model. */
export function sortsAcrossModels({ sort }: ProviderPreferences): boolean {
  return typeof sort === 'object' && sort?.partition === 'none';
}
