import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { PING, sseEvent } from '../../lambdas/platform/sse.ts';

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
});
