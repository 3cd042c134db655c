import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOffered, onDemand } from './on-demand.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Beside the packages, so that what is left out of the bundle is found. */
export const bundleDirectory = join(project, 'node_modules', '.cache', 'bundled-gateway');

export const entries = ['bin/local.ts', 'bin/admin.ts'] as const;

/** A program's name still tells whose process it is: a data directory is asked for that. */
export function bundled(source: string): string {
  return join(bundleDirectory, `${source}.mjs`);
}

/** The file that runs a program: from the bundle of this test run, or from the sources outside of one. */
export async function programOf(entry: (typeof entries)[number]): Promise<string> {
  if (!isOffered()) return join(project, entry);
  await onDemand('bundle');
  return bundled(entry);
}
