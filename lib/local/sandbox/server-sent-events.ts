import type { SandboxFraming, WireEvent } from './answer.ts';

/**
 * Returns a serialization as unnamed server-sent events.
 * @param end end of each event; some providers use CRLF
 */
export function plainEvents(end = '\n\n'): SandboxFraming {
  return { ...serverSent, encode: (event) => Buffer.from(`data: ${eventJson(event)}${end}`) };
}

/** Returns a serialization as server-sent events that have the event's `type` as name. */
export function namedEvents(): SandboxFraming {
  return {
    ...serverSent,
    encode: (event) => Buffer.from(`event: ${(event as { type: string }).type}\ndata: ${eventJson(event)}\n\n`),
  };
}

const serverSent = {
  contentType: 'text/event-stream; charset=utf-8',
  // The bytes are neither JSON nor UTF-8.
  garbage: Buffer.from('data: {"garbage": \xff\xfe\x80\n\n', 'latin1'),
};

function eventJson(event: WireEvent): string {
  return typeof event === 'string' ? event : JSON.stringify(event);
}
