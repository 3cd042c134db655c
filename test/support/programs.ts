import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Beside the packages, so that what is left out of the bundle is found. */
export const bundleDirectory = join(project, 'node_modules', '.cache', 'bundled-gateway');

/** Tells the processes of the tests that there is a bundle. */
export const BUNDLED_GATEWAY = 'GATEWAY_BUNDLED_FOR_TESTS';

export const entries = ['bin/local.ts', 'bin/admin.ts'] as const;

/** A program's name still tells whose process it is: a data directory is asked for that. */
export function bundled(source: string): string {
  return join(bundleDirectory, `${source}.mjs`);
}

/** The file that runs a program: of the bundle, or of the sources where there is none. */
export function programOf(entry: (typeof entries)[number]): string {
  return process.env[BUNDLED_GATEWAY] ? bundled(entry) : join(project, entry);
}
