import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Catalog } from './catalog.ts';
import { modelHint } from './similar-model.ts';

/**
 * Creates the error for a model that is not in the catalog, with similar ids.
 * @param field request field with the model's name
 */
export function unknownModel(catalog: Catalog, id: string, field: string): GatewayError {
  return notFound(`There is no model "${id}". ${modelHint(catalog, id)}`, { field });
}
