/** Ends the provider's work from our side: when the client leaves, and before the function runs out of time. */

/** Why the provider's work was ended from our side. */
type AbortReason = 'client_left' | 'out_of_time' | 'stopping' | 'ended';

/** Ends the provider's work. */
export function abortBecause(abort: AbortController, reason: AbortReason): void {
  abort.abort(reason);
}

/** Why the provider's work was ended; undefined while it may go on. */
export function abortReasonOf(signal: AbortSignal): AbortReason | undefined {
  return signal.reason as AbortReason | undefined;
}

/** A stream ends itself this long before Lambda would, so that its settlement is still reported. */
const STOP_STREAM_BEFORE_TIMEOUT_MS = 15_000;
/** Time for the last event to be read, out of these fifteen seconds. */
const LAST_EVENT_GRACE_MS = 5_000;

/** @param clientLeft undefined where it cannot be noticed that a client has left */
export function abortWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  if (clientLeft) whenAborted(clientLeft, () => abortBecause(abort, 'client_left'));
}

/** @param stopping aborts when the process is about to end; undefined where it is not told */
export function abortWhenStopping(abort: AbortController, stopping: AbortSignal | undefined): void {
  if (stopping) whenAborted(stopping, () => abortBecause(abort, 'stopping'));
}

/** @param remainingMs what is left of the function's time */
export function abortInTime(
  abort: AbortController,
  remainingMs: number,
  stopBeforeMs: number = STOP_STREAM_BEFORE_TIMEOUT_MS,
): void {
  const timer = setTimeout(() => abortBecause(abort, 'out_of_time'), Math.max(0, remainingMs - stopBeforeMs));
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

/** A reader that takes nothing would keep the ending, and with it the settlement, from ever being reached. */
export function destroyWhenOutOfTime(body: { destroy: () => unknown }, signal: AbortSignal): void {
  whenAborted(signal, () => {
    if (abortReasonOf(signal) !== 'out_of_time') return;
    setTimeout(() => body.destroy(), LAST_EVENT_GRACE_MS).unref();
  });
}

function whenAborted(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener('abort', action, { once: true });
}
