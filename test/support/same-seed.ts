import fc from 'fast-check';
import { runSeed } from './long-runs.ts';

/** On one commit, fast-check draws the same values in each run, unless `TEST_SEED` sets another seed. */
fc.configureGlobal({ seed: runSeed });
