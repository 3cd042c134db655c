type AbortReason = 'client_left' | 'out_of_time' | 'stopping' | 'ended';

export function abortBecause(abort: AbortController, reason: AbortReason): void {
  abort.abort(reason);
}

/** Returns the reason of the abort; undefined while the request is running. */
export function abortReasonOf(signal: AbortSignal): AbortReason | undefined {
  return signal.reason as AbortReason | undefined;
}

/** Default time in ms that is reserved before the function's timeout for the last event and the settlement. */
const STOP_STREAM_BEFORE_TIMEOUT_MS = 15_000;
/** Time in ms to deliver the last event of a stream; a part of STOP_STREAM_BEFORE_TIMEOUT_MS. */
const LAST_EVENT_GRACE_MS = 5_000;

/** Aborts the request to the provider when the client disconnects. */
export function abortWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  if (clientLeft) whenAborted(clientLeft, () => abortBecause(abort, 'client_left'));
}

/** Aborts the request to the provider when the process is about to end. */
export function abortWhenStopping(abort: AbortController, stopping: AbortSignal | undefined): void {
  if (stopping) whenAborted(stopping, () => abortBecause(abort, 'stopping'));
}

/** Aborts the request to the provider shortly before the function's timeout. */
export function abortInTime(
  abort: AbortController,
  remainingMs: number,
  stopBeforeMs: number = STOP_STREAM_BEFORE_TIMEOUT_MS,
): void {
  const timer = setTimeout(() => abortBecause(abort, 'out_of_time'), Math.max(0, remainingMs - stopBeforeMs));
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

/**
 * Destroys the response a little after the request has run out of time. Otherwise a client that stopped reading would
 * block the settlement until the function's timeout.
 */
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
