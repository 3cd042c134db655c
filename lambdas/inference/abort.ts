/** Aborts requests to providers: when the client disconnects, the function's time ends, or the process stops. */

/** Why the gateway aborted a request to a provider. */
type AbortReason = 'client_left' | 'out_of_time' | 'stopping' | 'ended';

export function abortBecause(abort: AbortController, reason: AbortReason): void {
  abort.abort(reason);
}

/** Why the gateway aborted the request; undefined while it is running. */
export function abortReasonOf(signal: AbortSignal): AbortReason | undefined {
  return signal.reason as AbortReason | undefined;
}

/** A stream ends itself this long before Lambda would end it, so that its settlement is still sent. */
const STOP_STREAM_BEFORE_TIMEOUT_MS = 15_000;
/** Time to deliver the last event, within the fifteen seconds above. */
const LAST_EVENT_GRACE_MS = 5_000;

/** @param clientLeft undefined if the process cannot notice that a client disconnects */
export function abortWhenLeft(abort: AbortController, clientLeft: AbortSignal | undefined): void {
  if (clientLeft) whenAborted(clientLeft, () => abortBecause(abort, 'client_left'));
}

/** @param stopping aborts when the process is about to end; undefined if the process gets no notice of that */
export function abortWhenStopping(abort: AbortController, stopping: AbortSignal | undefined): void {
  if (stopping) whenAborted(stopping, () => abortBecause(abort, 'stopping'));
}

/** @param remainingMs remaining time of the function */
export function abortInTime(
  abort: AbortController,
  remainingMs: number,
  stopBeforeMs: number = STOP_STREAM_BEFORE_TIMEOUT_MS,
): void {
  const timer = setTimeout(() => abortBecause(abort, 'out_of_time'), Math.max(0, remainingMs - stopBeforeMs));
  timer.unref();
  abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

/** Destroys the body. Otherwise a client that reads nothing would block the end of the answer, and its settlement. */
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
