import { join } from 'node:path';

/**
 * Directory of the templates that a test run has synthesized. They are stored, because repeating the synthesis in each
 * process would take seconds.
 */
export const synthesizedDirectory = join(import.meta.dirname, '../../.vitest/synthesized');
