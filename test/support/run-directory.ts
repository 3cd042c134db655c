import { join } from 'node:path';

/**
 * Directory of the templates that a test run has synthesized. They are stored, because each process would need seconds
 * to synthesize them again.
 */
export const synthesizedDirectory = join(import.meta.dirname, '../../.vitest/synthesized');
