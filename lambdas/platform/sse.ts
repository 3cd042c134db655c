/** Server-sent events with names. */

/** An event with any fields. The second form is that of object literals. */
type NamedEvent = { type: string } | ({ type: string } & Record<string, unknown>);

/** Returns one event. `event:` repeats the type, because clients of the Messages API and of OpenAI's dispatch on it. */
export function sseEvent(data: NamedEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Comment that keeps a silent connection open. */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** Event of the Messages API that keeps a silent connection open. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
