/**
 * Bundles the functions only if the source files have changed since the last time.
 *
 * Weakness: manual changes to packages in node_modules are not noticed. `npm run bundle` builds in any case.
 */

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { claimDirectory } from '../shared/data-directory/directory-claim.ts';
import { projectDirectory } from '../shared/project-directory.ts';
import { bundleFunctions } from '../shared/bundles/bundle.ts';

/** Files whose changes require new bundles. The lockfile stands for the installed packages. */
const sources = ['lambdas/**/*', 'lib/**/*', 'package-lock.json'];

/** Maximum time in ms to wait for another process that is bundling. */
const BUNDLES_CLAIM_WAIT_MS = 300_000;

/**
 * Returns the directory of the bundles, with one folder per function. Builds them if the sources have changed.
 * @param catalogDirectory replaces the catalog that comes with the code
 * @throws {CatalogError} if the catalog has a mistake
 * @throws {Error} if the code cannot be bundled
 * @throws {DirectoryInUse} if another process still bundles after five minutes
 */
export async function currentBundles(
  outputDirectory: string,
  catalogDirectory: string = shippedCatalogDirectory,
  make: (directory: string, catalogDirectory: string) => Promise<unknown> = bundleFunctions,
): Promise<string> {
  const directory = resolve(outputDirectory);
  const parent = dirname(directory);
  mkdirSync(parent, { recursive: true });
  const release = await claimDirectory(parent, { waitMs: BUNDLES_CLAIM_WAIT_MS });
  try {
    const note = `${directory}.made-of`;
    const digest = digestOfSources(catalogDirectory);
    if (existsSync(directory) && existsSync(note) && readFileSync(note, 'utf8') === digest) return directory;
    rmSync(note, { force: true });
    await make(directory, catalogDirectory);
    writeFileSync(note, digest);
    return directory;
  } finally {
    release();
  }
}

function digestOfSources(catalogDirectory: string): string {
  const hash = createHash('sha256');
  const files = [
    ...globSync(sources, { cwd: projectDirectory, withFileTypes: true }),
    ...globSync('**/*', { cwd: catalogDirectory, withFileTypes: true }),
  ];
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.toSorted()) {
    const bytes = readFileSync(path);
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}
