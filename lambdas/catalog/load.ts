import { fileURLToPath } from 'node:url';
import { optionalVariable, variables } from '../platform/environment.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { readCatalogFiles } from './files.ts';

/** Directory of the catalog that is shipped with the code. */
export const shippedCatalogDirectory = fileURLToPath(new URL('./data/', import.meta.url));

/** Returns the directory that the environment names, or else the directory of the shipped catalog. */
export function catalogDirectory(): string {
  return optionalVariable(variables.catalogDirectory) ?? shippedCatalogDirectory;
}

/**
 * Reads, checks and builds the catalog of a directory. In bundles, `load-checked.ts` replaces this file.
 * @throws {CatalogError} the first error, with the file or directory, and the field if there is one
 */
export function loadCatalog(directory: string = catalogDirectory()): Catalog {
  return buildCatalog(readCatalogFiles(directory), optionalVariable);
}
