import { join } from 'node:path';

/**
 * Directory of the templates that a test run has synthesized, because each process would need seconds to repeat it.
 */
export const synthesizedDirectory = join(import.meta.dirname, '../../.vitest/synthesized');
