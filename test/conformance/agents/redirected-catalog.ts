/**
 * Copy of the shipped catalog in which addresses of providers are replaced by addresses of one local server, except
 * addresses from environment variables.
 */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedCatalog, type CatalogDirectory } from '../../support/catalog.ts';

interface ProviderEntry {
  id: string;
  base_url?: string;
}

/** Writes the catalog; each replaced address ends with the provider's id. */
export function redirectedCatalog(url: string): CatalogDirectory {
  const path = mkdtempSync(join(tmpdir(), 'gateway-redirected-'));
  cpSync(shippedCatalog, path, { recursive: true });
  const file = join(path, 'providers.json');
  const shipped = JSON.parse(readFileSync(file, 'utf8')) as { providers: ProviderEntry[] };
  const providers = shipped.providers.map((provider) =>
    provider.base_url === undefined ? provider : { ...provider, base_url: `${url}/${provider.id}` },
  );
  writeFileSync(file, JSON.stringify({ ...shipped, providers }));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
