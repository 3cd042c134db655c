/**
 * Starts garbage collections while the gateway is idle. V8 shrinks its heap only in a garbage collection, and starts
 * none by itself at idle times.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time in ms without requests after which a collection is started, because it stops the process for a moment. */
const QUIET_MS = 5_000;
/** Heap size in bytes above which a collection is worthwhile. */
const WORTH_BYTES = 96 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Returns V8's garbage collector, which is accessible only after this flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

export interface IdleMemory {
  /** Restarts the waiting time. Call it when a request arrives, and when its answer is complete. */
  touch: () => void;
  stop: () => void;
}

/**
 * Starts a garbage collection after some time without requests, if the heap is large.
 * @param isBusy whether requests are being answered, whose streams a collection would delay
 * @param options for tests
 */
export function returnIdleMemory(
  isBusy: () => boolean,
  {
    collect = collector(),
    heapBytes = () => process.memoryUsage().heapTotal,
  }: { collect?: Collect; heapBytes?: () => number } = {},
): IdleMemory {
  const look = () => {
    if (isBusy()) timer.refresh();
    else if (heapBytes() > WORTH_BYTES) collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  };
  const timer = setTimeout(look, QUIET_MS).unref();
  return {
    touch: () => void timer.refresh(),
    stop: () => clearTimeout(timer),
  };
}
