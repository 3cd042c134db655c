import { fileURLToPath } from 'node:url';

/** The directory of the whole project, with a slash at its end. */
export const projectDirectory = fileURLToPath(new URL('../..', import.meta.url));
