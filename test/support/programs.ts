import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOffered, onDemand } from './on-demand.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Directory of the bundle. It is inside node_modules, so that Node finds the packages that are not in the bundle. */
export const bundleDirectory = join(project, 'node_modules', '.cache', 'bundled-gateway');

export const entries = ['bin/local.ts', 'bin/admin.ts'] as const;

/**
 * Returns the path of a bundled program. The path contains the program's name, because tests find processes by this
 * name.
 */
export function bundled(source: string): string {
  return join(bundleDirectory, `${source}.mjs`);
}

/** Returns the file of a program: in the bundle of this test run, or in the sources if no run offers a bundle. */
export async function programOf(entry: (typeof entries)[number]): Promise<string> {
  if (!isOffered()) return join(project, entry);
  await onDemand('bundle');
  return bundled(entry);
}
