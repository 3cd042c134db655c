import { join } from 'node:path';

/** Where a run of tests keeps the templates that it has synthesized: each process would spend seconds on the same. */
export const synthesizedDirectory = join(import.meta.dirname, '../../.vitest/synthesized');
