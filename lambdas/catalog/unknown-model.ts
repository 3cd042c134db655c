import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Catalog } from './catalog.ts';

/**
 * The refusal of a model that is not in the catalog. Tools that know a model by its author's API leave the author out:
 * they are told its id here.
 * @param field where the id was given
 */
export function unknownModel(catalog: Catalog, id: string, field: string): GatewayError {
  const meant = similarTo(catalog, id);
  const hint = meant === undefined ? "GET /models lists the catalog's ids." : `Did you mean "${meant}"?`;
  return notFound(`There is no model "${id}". ${hint}`, { field });
}

/** A model of this name, whatever its author and however its letters are written. */
function similarTo({ models }: Catalog, id: string): string | undefined {
  const wanted = id.toLowerCase();
  return models.find((model) => model.id === wanted || model.id.slice(model.id.indexOf('/') + 1) === wanted)?.id;
}
