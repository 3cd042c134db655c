import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const builds = fileURLToPath(new URL('../../.build', import.meta.url));

export interface ServerBundle {
  program: string;
  remove: () => void;
}

/**
 * Bundles the server into a new directory.
 * @param catalogDirectory replaces the catalog that comes with the code
 * @throws {CatalogError} if the catalog has a mistake
 */
export async function makeServerBundle(catalogDirectory: string | undefined): Promise<ServerBundle> {
  mkdirSync(builds, { recursive: true });
  const directory = mkdtempSync(join(builds, 'server-'));
  // The bundler is loaded only if the server is requested.
  const { bundleServer, SERVER_PROGRAM } = await import('../shared/bundles/bundle.ts');
  await bundleServer(directory, catalogDirectory);
  return {
    program: join(directory, SERVER_PROGRAM),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
