/**
 * The bundles of functions are made once of the same sources: the next stage that is synthesized, a sandboxed gateway and tests find them
 * made, which takes a second in place of half a minute.
 *
 * Weakness: a package that was changed by hand under node_modules is not noticed. `npm run bundle` always makes them.
 */

import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { claimDirectory } from '../shared/data-directory/directory-claim.ts';
import { projectDirectory } from '../shared/project-directory.ts';
import { bundleFunctions } from '../shared/bundles/bundle.ts';

/** All that a bundle may be made of; packages are what the lockfile says. */
const sources = ['lambdas/**/*', 'lib/**/*', 'package-lock.json'];

/** Longer than bundling takes on a busy machine: another process that does it is waited for. */
const BUNDLES_CLAIM_WAIT_MS = 300_000;

/**
 * @param catalogDirectory replaces the catalog that comes with the code
 * @param make is called if they have to be made
 * @returns the directory, with one folder a function
 * @throws {CatalogError} for a catalog with a mistake
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
