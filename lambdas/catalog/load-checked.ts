import { readFileSync } from 'node:fs';
import { optionalVariable } from '../platform/environment.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { readChecked } from './checked.ts';

/** The bundler puts this file next to the bundle. */
const file = new URL('./catalog.json', import.meta.url);

/** Builds the catalog from the files that were checked when the code was bundled. */
export function loadCatalog(): Catalog {
  return buildCatalog(readChecked(readFileSync(file, 'utf8')), optionalVariable);
}
