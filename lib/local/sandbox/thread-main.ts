/** Program of the thread that runs the sandbox. */

import { parentPort } from 'node:worker_threads';
import { startSandbox } from './server.ts';

const { stop: _stop, ...addresses } = await startSandbox();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
parentPort!.postMessage(addresses);
