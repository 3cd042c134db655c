/** Server-sent events in the format of the Messages API. */

/** Returns one event. `event:` always repeats the type, because clients of the Messages API dispatch on it. */
export function sseEvent(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
