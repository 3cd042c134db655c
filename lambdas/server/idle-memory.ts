/**
 * Frees memory after a burst. V8 keeps a heap at its size until a collection, and a gateway without requests allocates
 * nothing that would start one.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection stops the process for a tenth of a second, so it waits until there was no request for this long. */
const QUIET_MS = 5_000;
/** Memory of the code, the catalog, and some requests. */
const WORTH_BYTES = 96 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** V8's own function, which is only available after a flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

export interface IdleMemory {
  /** Call it when a request arrives, and when it has been answered. */
  touch: () => void;
  stop: () => void;
}

/**
 * @param isBusy whether requests are being answered; a collection would delay a stream
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
