/**
 * Aborts the request to a provider when the client disconnects, the function's time ends, the process stops, or the
 * answer has ended.
 */

/** Reason for which the gateway aborted a request to a provider. */
type AbortReason = 'client_left' | 'out_of_time' | 'stopping' | 'ended';

export function abortBecause(abort: AbortController, reason: AbortReason): void {
  abort.abort(reason);
}

/** Returns the reason for which the gateway aborted the request, or undefined while the request is running. */
export function abortReasonOf(signal: AbortSignal): AbortReason | undefined {
  return signal.reason as AbortReason | undefined;
}

/**
 * Default time in ms before the function's timeout at which an answer is ended. The remaining time is enough to send
 * the settlement.
 */
const STOP_STREAM_BEFORE_TIMEOUT_MS = 15_000;
/** Time in ms to deliver the last event of a stream. It is a part of STOP_STREAM_BEFORE_TIMEOUT_MS. */
const LAST_EVENT_GRACE_MS = 5_000;

/**
 * Aborts the request to the provider when the client disconnects.
 * @param clientLeft undefined if the process cannot detect that a client disconnects
 */
export function abortWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  if (clientLeft) whenAborted(clientLeft, () => abortBecause(abort, 'client_left'));
}

/**
 * Aborts the request to the provider when the process is about to end.
 * @param stopping undefined if the process gets no notice before its end
 */
export function abortWhenStopping(abort: AbortController, stopping: AbortSignal | undefined): void {
  if (stopping) whenAborted(stopping, () => abortBecause(abort, 'stopping'));
}

/**
 * Aborts the request to the provider shortly before the function's timeout.
 * @param remainingMs time until the function's timeout
 */
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
 * Destroys the response body a few seconds after the request was aborted because the function's time ends. Otherwise a
 * client that stopped reading would block the end of the answer and its settlement.
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
