type NamedEvent = { type: string } | ({ type: string } & Record<string, unknown>);

/**
 * Returns the text of an event. The line `event:` repeats the type, because clients of the Messages API and of OpenAI's
 * APIs read it there.
 */
export function sseEvent(data: NamedEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Last event of streams of OpenAI's chat completions and of some other APIs. */
export const STREAM_DONE = 'data: [DONE]\n\n';

/** Comment line that keeps a connection open while no event is sent. */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** Event of the Messages API that keeps a connection open while no other event is sent. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
