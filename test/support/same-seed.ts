import fc from 'fast-check';
import { runSeed } from './long-runs.ts';

/** Gives property tests the seed of the test run. So a failed test file fails in the same way when it runs again. */
fc.configureGlobal({ seed: runSeed });
