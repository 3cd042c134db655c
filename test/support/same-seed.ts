import fc from 'fast-check';
import { runSeed } from './long-runs.ts';

/**
 * Sets the seed of the test run for property tests, so that a failed test file fails in the same way when it runs
 * again.
 */
fc.configureGlobal({ seed: runSeed });
