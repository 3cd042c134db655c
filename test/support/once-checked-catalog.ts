/**
 * Replaces `lambdas/catalog/load.ts` in the gateway bundle for tests. The test run checks the shipped catalog once, and
 * processes read the result.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildCatalog, type Catalog } from '../../lambdas/catalog/catalog.ts';
import { readChecked } from '../../lambdas/catalog/checked.ts';
import { catalogDirectory, loadCatalog as loadFromFiles, shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { optionalVariable } from '../../lambdas/platform/environment.ts';
import { checkedCatalogFile } from './programs.ts';

export { catalogDirectory, shippedCatalogDirectory };

export function loadCatalog(directory: string = catalogDirectory()): Catalog {
  if (resolve(directory) !== resolve(shippedCatalogDirectory)) return loadFromFiles(directory);
  return buildCatalog(readChecked(readFileSync(checkedCatalogFile, 'utf8')), optionalVariable);
}
