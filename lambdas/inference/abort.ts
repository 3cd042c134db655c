/** Ends the provider's work from our side: when the client leaves, and before the function runs out of time. */

/** Why the provider's work was ended from our side. */
export type AbortReason = 'client_left' | 'out_of_time' | 'stopping' | 'ended';

/** A stream ends itself this long before Lambda would, so that its settlement is still reported. */
const STOP_STREAM_BEFORE_TIMEOUT_MS = 15_000;
/** Time for the last event to be read, out of these fifteen seconds. */
const LAST_EVENT_GRACE_MS = 5_000;

/** @param clientLeft undefined where it cannot be noticed that a client has left */
export function abortWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  if (clientLeft) whenAborted(clientLeft, () => abort.abort('client_left' satisfies AbortReason));
}

/** @param stopping aborts when the process is about to end; undefined where it is not told */
export function abortWhenStopping(abort: AbortController, stopping: AbortSignal | undefined): void {
  if (stopping) whenAborted(stopping, () => abort.abort('stopping' satisfies AbortReason));
}

/** @param remainingMs what is left of the function's time */
export function abortInTime(
  abort: AbortController,
  remainingMs: number,
  stopBeforeMs: number = STOP_STREAM_BEFORE_TIMEOUT_MS,
): void {
  const timer = setTimeout(
    () => abort.abort('out_of_time' satisfies AbortReason),
    Math.max(0, remainingMs - stopBeforeMs),
  );
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

/** A reader that takes nothing would keep the ending, and with it the settlement, from ever being reached. */
export function destroyWhenOutOfTime(body: { destroy: () => unknown }, signal: AbortSignal): void {
  whenAborted(signal, () => {
    if (signal.reason !== ('out_of_time' satisfies AbortReason)) return;
    setTimeout(() => body.destroy(), LAST_EVENT_GRACE_MS).unref();
  });
}

function whenAborted(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
}
