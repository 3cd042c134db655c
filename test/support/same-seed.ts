import fc from 'fast-check';
import { runSeed } from './long-runs.ts';

/** A failed test file fails in the same way when it runs again. */
fc.configureGlobal({ seed: runSeed });
