import type { SandboxFraming, WireEvent } from './answer.ts';

/** Server-sent events without names. @param end ends each event; some wires use CRLF as HTTP does */
export function plainEvents(end = '\n\n'): SandboxFraming {
  return { ...serverSent, encode: (event) => Buffer.from(`data: ${eventJson(event)}${end}`) };
}

/** Server-sent events with their type as name. */
export function namedEvents(): SandboxFraming {
  return {
    ...serverSent,
    encode: (event) => Buffer.from(`event: ${(event as { type: string }).type}\ndata: ${eventJson(event)}\n\n`),
  };
}

const serverSent = {
  contentType: 'text/event-stream; charset=utf-8',
  // Neither JSON nor UTF-8.
  garbage: Buffer.from('data: {"garbage": \xff\xfe\x80\n\n', 'latin1'),
};

function eventJson(event: WireEvent): string {
  return typeof event === 'string' ? event : JSON.stringify(event);
}
