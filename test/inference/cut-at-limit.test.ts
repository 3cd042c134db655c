import { describe, expect, it } from 'vitest';
import { cutAtLimit } from '../../lambdas/inference/messages/client-events.ts';
import type { AnswerEvent, MessagesEvent } from '../../lambdas/messages/types.ts';

const eventOf = (data: unknown): AnswerEvent => ({ data: data as MessagesEvent });
const start = eventOf({ type: 'message_start', message: { id: 'm', content: [], usage: {} } });
const block = eventOf({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
const text = (said: string) =>
  eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } });

describe('an answer that the gateway cuts at a limit', () => {
  it('starts also if its decoder holds back more than the limit before its first event', () => {
    expect(cutAtLimit([start, block, text('a')], 1_000, 100)).toEqual([start]);
  });

  it('has the text within the limit', () => {
    const events = [start, block, text('a'.repeat(50)), text('b'.repeat(100))];

    expect(cutAtLimit(events, 0, 120)).toEqual(events.slice(0, 3));
  });
});
