import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOffered, onDemand } from './on-demand.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Directory inside node_modules, where Node finds the packages that are not in the bundle. */
export const bundleDirectory = join(project, 'node_modules', '.cache', 'bundled-gateway');

/** The shipped catalog in its checked form. */
export const checkedCatalogFile = join(bundleDirectory, 'catalog.json');

export const entries = ['bin/local.ts', 'bin/admin.ts'] as const;

/** Returns the path of a bundled program. Tests find processes by the program's name, so the path contains it. */
export function bundled(source: string): string {
  return join(bundleDirectory, `${source}.mjs`);
}

/** Returns the file of a program in the bundle of this test run, or else in the sources. */
export async function programOf(entry: (typeof entries)[number]): Promise<string> {
  if (!isOffered()) return join(project, entry);
  await onDemand('bundle');
  return bundled(entry);
}
