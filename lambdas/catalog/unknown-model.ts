import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Catalog } from './catalog.ts';
import { similarModel } from './similar-model.ts';

/**
 * Creates the error for a model that is not in the catalog, with a suggestion.
 * @param field request field with the model's name
 */
export function unknownModel(catalog: Catalog, id: string, field: string): GatewayError {
  const meant = similarModel(catalog, id);
  const hint = meant === undefined ? "GET /models lists the catalog's ids." : `Did you mean "${meant}"?`;
  return notFound(`There is no model "${id}". ${hint}`, { field });
}
