import { parentPort, workerData } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { LocalState } from '../../lib/shared/data-directory/state.ts';

/**
 * Thread that opens a data directory at the same moment as other threads, and returns the secrets that it would use.
 */
const { directory, gate } = workerData as { directory: string; gate: SharedArrayBuffer };
const state = LocalState.at(directory);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort!.postMessage('ready');
Atomics.wait(new Int32Array(gate), 0, 0);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort!.postMessage(readFileSync(state.secretsFile(), 'utf8') + readFileSync(state.sealingKeyFile(), 'utf8'));
