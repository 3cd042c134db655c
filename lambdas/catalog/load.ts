import { fileURLToPath } from 'node:url';
import { optionalVariable, variables } from '../platform/environment.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { readCatalogFiles } from './files.ts';

/** The catalog that comes with the code. */
export const shippedCatalogDirectory = fileURLToPath(new URL('./data/', import.meta.url));

/** The directory of the catalog where nobody names another: GATEWAY_CATALOG, else the one shipped with the code. */
export function catalogDirectory(): string {
  return optionalVariable(variables.catalogDirectory) ?? shippedCatalogDirectory;
}

/**
 * Reads, checks and builds the catalog of a directory. In bundles
 * `load-checked.ts` stands in its place.
 * @throws {CatalogError} naming file and field of the first thing that is wrong.
 */
export function loadCatalog(directory: string = catalogDirectory()): Catalog {
  return buildCatalog(readCatalogFiles(directory), optionalVariable);
}
