import { describe, expect, it } from 'vitest';
import type { Block, MessagesEvent, StopReason } from '../../lambdas/messages/types.ts';
import { AnswerOrder } from '../../lambdas/providers/anthropic/answer-order.ts';

const start: MessagesEvent = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {},
  },
};
const open = (content_block: Block): MessagesEvent => ({ type: 'content_block_start', index: 0, content_block });
const text = open({ type: 'text', text: '' });
const call = open({ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} });
const close: MessagesEvent = { type: 'content_block_stop', index: 0 };
const end: MessagesEvent = { type: 'message_stop' };
const ending = (reason: StopReason | null, output_tokens: number): MessagesEvent => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens },
});

function passed(events: MessagesEvent[]): MessagesEvent[] {
  const order = new AnswerOrder();
  return events.flatMap((event) => order.check(event));
}

describe('usage that is reported after the stop reason', () => {
  it('repeats the stop reason, because clients keep the last ending', () => {
    expect(passed([start, text, close, ending('end_turn', 2), ending(null, 500), end])).toEqual([
      start,
      text,
      close,
      ending('end_turn', 2),
      ending('end_turn', 500),
      end,
    ]);
  });
});

describe('a block that ends after the stop reason', () => {
  it('is closed once, and later usage counts', () => {
    expect(passed([start, text, ending('end_turn', 2), close, ending('end_turn', 500), end])).toEqual([
      start,
      text,
      close,
      ending('end_turn', 2),
      ending('end_turn', 500),
      end,
    ]);
  });

  it('is closed if the provider never closes it', () => {
    expect(passed([start, text, ending('end_turn', 2), end])).toEqual([start, text, close, ending('end_turn', 2), end]);
  });

  it('is awaited if it is a call to be run', () => {
    expect(passed([start, call, ending('tool_use', 2), ending(null, 3), close, end])).toEqual([
      start,
      call,
      close,
      ending('tool_use', 2),
      ending('tool_use', 3),
      end,
    ]);
  });

  it('fails the answer if it is a call that never ends', () => {
    expect(() => passed([start, call, ending('tool_use', 2), end])).toThrow('an end in the middle of a tool call');
  });

  it('is not awaited without limit', () => {
    const endings = Array.from({ length: 100 }, () => ending('tool_use', 2));

    expect(() => passed([start, call, ...endings])).toThrow('more endings than an answer can have');
  });
});

describe('the reason of an answer with a call', () => {
  it('is "tool_use", although an imitation of the Messages API reported "end_turn"', () => {
    expect(passed([start, call, close, ending('end_turn', 2), end])).toEqual([
      start,
      call,
      close,
      ending('tool_use', 2),
      end,
    ]);
  });

  it.each(['max_tokens', 'refusal', 'pause_turn'] as const)('stays %s', (reason) => {
    expect(passed([start, call, close, ending(reason, 2), end])).toContainEqual(ending(reason, 2));
  });
});
