import { fileURLToPath } from 'node:url';
import { optionalVariable, variables } from '../platform/environment.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { readCatalogFiles } from './files.ts';

/** The catalog that comes with the code. */
export const shippedCatalogDirectory = fileURLToPath(new URL('./data/', import.meta.url));

/**
 * Reads, checks and builds the catalog of a directory: GATEWAY_CATALOG, else the one shipped with the code. In bundles
 * `load-checked.ts` stands in its place.
 * @throws {CatalogError} naming file and field of the first thing that is wrong.
 */
export function loadCatalog(
  directory: string = optionalVariable(variables.catalogDirectory) ?? shippedCatalogDirectory,
): Catalog {
  return buildCatalog(readCatalogFiles(directory), optionalVariable);
}
