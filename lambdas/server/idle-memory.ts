/**
 * Gives memory back after a burst. V8 keeps a heap as large as it has been until something makes it collect, and a gateway
 * without requests allocates nothing that would.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection stops the process for a tenth of a second: it waits until no request has come for a while. */
const QUIET_MS = 5_000;
/** What the code and the catalog take, and some requests. */
const WORTH_BYTES = 96 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** V8's own function, which has a name only where a flag asks for it. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

export interface IdleMemory {
  /** A request has come, or has been answered. */
  touch: () => void;
  stop: () => void;
}

/**
 * @param isBusy whether requests are being answered: a stream must not be held up
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
