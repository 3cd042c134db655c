type NamedEvent = { type: string } | ({ type: string } & Record<string, unknown>);

/**
 * Returns the text of an event. The line `event:` repeats the type, because clients of the Messages API and of OpenAI's
 * APIs read it there.
 */
export function sseEvent(data: NamedEvent): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Matches characters at which some clients end a line, although only CR and LF end a line of an event stream
 * (https://github.com/langgenius/dify/pull/39008). JSON leaves them as they are.
 */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** Returns whether a text has a character at which some clients wrongly end a line. */
export function hasLineSeparator(text: string): boolean {
  return text.search(LINE_SEPARATORS) !== -1;
}

/** Returns events whose data is JSON with line separators as escapes, so that every client reads whole lines. */
export function withWholeLines(events: string): string {
  return events.replace(LINE_SEPARATORS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Last event of streams of OpenAI's chat completions and of some other APIs. */
export const STREAM_DONE = 'data: [DONE]\n\n';

/**
 * Comment line that keeps a connection open while no event is sent. It has no empty line after it, because openai-go
 * before version 3.43 reads an empty line as an event without data, and fails
 * (https://github.com/maximhq/bifrost/issues/5874).
 */
export const KEEP_ALIVE = ': keep-alive\n';

/** Event of the Messages API that keeps a connection open while no other event is sent. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
