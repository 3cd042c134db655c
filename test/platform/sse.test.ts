import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { hasLineSeparator, KEEP_ALIVE, PING, sseEvent, withWholeLines } from '../../lambdas/platform/sse.ts';

function read(text: string) {
  const events: { event: string | undefined; data: unknown }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data: JSON.parse(data) }) });
  parser.feed(text);
  return events;
}

describe('a server-sent event', () => {
  it('is read as it was written, under the name of its type', () => {
    const data = { type: 'content_block_delta', text: 'one\n\ntwo\r\ndata: three\u2028' };

    expect(read(sseEvent(data) + PING)).toEqual([
      { event: 'content_block_delta', data },
      { event: 'ping', data: { type: 'ping' } },
    ]);
  });

  it('follows a keep-alive comment without an empty line, which openai-go reads as an event without data', () => {
    const data = { type: 'content_block_delta', text: 'Hi' };

    expect(read(KEEP_ALIVE + sseEvent(data))).toEqual([{ event: 'content_block_delta', data }]);
    expect(KEEP_ALIVE).not.toContain('\n\n');
  });

  it('has no character at which a client could wrongly end a line', () => {
    const data = { type: 'content_block_delta', text: 'a\u0085b\u2028c\u2029d\\u2028\u2027\u202aé' };

    const written = withWholeLines(sseEvent(data));

    expect(hasLineSeparator(sseEvent(data))).toBe(true);
    expect(hasLineSeparator(written)).toBe(false);
    expect(read(written)).toEqual([{ event: 'content_block_delta', data }]);
    expect(withWholeLines(PING)).toBe(PING);
  });
});
