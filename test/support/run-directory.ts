import { join } from 'node:path';

/** Templates that a test run has synthesized once. */
export const synthesizedDirectory = join(import.meta.dirname, '../../.vitest/synthesized');
