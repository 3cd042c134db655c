import { fileURLToPath } from 'node:url';

/** Root directory of the project, with a trailing slash. */
export const projectDirectory = fileURLToPath(new URL('../..', import.meta.url));
