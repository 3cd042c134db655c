import type { ServerResponse } from 'node:http';

/** Returns a signal that aborts when the client disconnects before its answer is complete. */
export function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
