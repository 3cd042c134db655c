import fc from 'fast-check';
import { runSeed } from './long-runs.ts';

/** Properties have the seed of their run: a file that fails among others is run again with what it has failed by. */
fc.configureGlobal({ seed: runSeed });
