import { describe, expect, it } from 'vitest';
import type { Block, Delta, MessagesEvent, StopReason } from '../../lambdas/messages/types.ts';
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

const delta = (one: Delta): MessagesEvent => ({ type: 'content_block_delta', index: 0, delta: one });
const piece = (partial_json: string) => delta({ type: 'input_json_delta', partial_json });

const at = (index: number, event: MessagesEvent) => ({ ...event, index }) as MessagesEvent;

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

describe('arguments in the start of a call', () => {
  const whole = open({ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sea' } });
  const rest = [close, ending('tool_use', 2), end];

  it.each([
    ['the call ends', rest, [piece('{"at":"sea"}'), ...rest]],
    ['empty deltas follow', [piece(''), ...rest], [piece(''), piece('{"at":"sea"}'), ...rest]],
    ['white space follows', [piece('\n'), ...rest], [piece('\n'), piece('{"at":"sea"}'), ...rest]],
  ])('become a delta, from which clients read them, if %s', (_, events, expected) => {
    expect(passed([start, whole, ...events])).toEqual([start, call, ...expected]);
  });

  it('are left out if deltas repeat them', () => {
    const deltas = [piece('{"at":'), piece('"sea"}')];
    expect(passed([start, whole, ...deltas, ...rest])).toEqual([start, call, ...deltas, ...rest]);
  });

  it.each([undefined, null])('are empty if the start has none: %s', (input) => {
    const bare = open({ type: 'tool_use', id: 'toolu_1', name: 'look', input });
    expect(passed([start, bare, ...rest])).toEqual([start, call, ...rest]);
  });
});

describe('text or thinking in the start of a block', () => {
  const thinking = (words: string, signature: string) => open({ type: 'thinking', thinking: words, signature });
  const words = (said: string) => delta({ type: 'text_delta', text: said });
  const thought = (said: string) => delta({ type: 'thinking_delta', thinking: said });
  const signature = delta({ type: 'signature_delta', signature: 'sig' });
  const whole = open({ type: 'text', text: 'Hel' });
  const rest = [close, ending('end_turn', 2), end];

  it.each([
    ['without deltas', [whole], [text, words('Hel')]],
    ['before other text', [whole, words('lo')], [text, words('Hel'), words('lo')]],
    ['before the same text', [whole, words('Hello')], [text, words('Hello')]],
    ['before white space', [whole, words('\n'), words('lo')], [text, words('Hel'), words('\n'), words('lo')]],
    ['with a signature', [thinking('Hm', 'sig')], [thinking('', ''), thought('Hm'), signature]],
    ['before a signature', [thinking('Hm', ''), signature], [thinking('', ''), thought('Hm'), signature]],
    ['after a signature', [thinking('', 'sig'), thought('Hm')], [thinking('', ''), thought('Hm'), signature]],
  ])('becomes a delta: %s', (_, events, expected) => {
    expect(passed([start, ...events, ...rest])).toEqual([start, ...expected, ...rest]);
  });

  it('becomes a delta if max_tokens ends the answer within the block', () => {
    const cut = [ending('max_tokens', 2), end];
    expect(passed([start, whole, ...cut])).toEqual([start, text, words('Hel'), ...cut]);
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

  it('is "end_turn" without any call, although an imitation of the Messages API reported "tool_use"', () => {
    expect(passed([start, text, close, ending('tool_use', 2), end])).toContainEqual(ending('end_turn', 2));
  });

  it('stays "tool_use" if only code of the provider has called a tool', () => {
    const byCode = open({ ...(call as { content_block: Block }).content_block, caller: { type: 'code_execution' } });

    expect(passed([start, byCode, close, ending('tool_use', 2), end])).toContainEqual(ending('tool_use', 2));
  });

  it.each(['max_tokens', 'refusal', 'pause_turn'] as const)('stays %s', (reason) => {
    expect(passed([start, call, close, ending(reason, 2), end])).toContainEqual(ending(reason, 2));
  });
});

describe('a delta of another type than its block', () => {
  const said: MessagesEvent = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
  const thought: MessagesEvent = {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  };

  it('begins another block', () => {
    const events = [start, text, thought, thought, said, close, ending('end_turn', 2), end];

    expect(passed(events).slice(1, -2)).toEqual([
      text,
      close,
      at(1, open({ type: 'thinking', thinking: '', signature: '' })),
      at(1, thought),
      at(1, thought),
      at(1, close),
      at(2, text),
      at(2, said),
      at(2, close),
    ]);
  });

  it('is dropped if it is empty, so that signed thinking stays whole', () => {
    const thinking = open({ type: 'thinking', thinking: '', signature: '' });
    const empty: MessagesEvent = { ...said, delta: { type: 'text_delta', text: '' } };

    expect(passed([start, thinking, thought, empty, thought]).slice(1)).toEqual([thinking, thought, thought]);
  });

  it('is dropped within a call if it is blank, and otherwise gets its own block', () => {
    const blank: MessagesEvent = { ...said, delta: { type: 'text_delta', text: '\n' } };

    expect(passed([start, call, blank, close, ending('tool_use', 2), end])).toEqual([
      start,
      call,
      close,
      ending('tool_use', 2),
      end,
    ]);
    expect(passed([start, call, said, close, ending('tool_use', 2), end]).slice(1, -2)).toEqual([
      call,
      at(1, text),
      at(1, said),
      at(1, close),
      close,
    ]);
  });

  it('continues its block within a call, so that a text in pieces stays whole', () => {
    const space: MessagesEvent = { ...said, delta: { type: 'text_delta', text: ' ' } };
    const events = [start, call, said, space, said, thought, close, ending('tool_use', 2), end];

    expect(passed(events).slice(1, -2)).toEqual([
      call,
      at(1, text),
      at(1, said),
      at(1, space),
      at(1, said),
      at(1, close),
      at(2, open({ type: 'thinking', thinking: '', signature: '' })),
      at(2, thought),
      at(2, close),
      close,
    ]);
  });
});

describe('a signature of thinking in another block', () => {
  const signature: MessagesEvent = {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: 'c2ln' },
  };

  it.each([
    [text, 'end_turn'],
    [call, 'tool_use'],
  ] as const)('is dropped: %j', (block, reason) => {
    const events = [start, block, close, ending(reason, 2), end];

    expect(passed(events.toSpliced(2, 0, signature))).toEqual(events);
  });
});

describe('the indexes of blocks', () => {
  const words: MessagesEvent = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };

  it.each([
    [1, 2],
    [0, 2],
    [0, 0],
  ])('are consecutive, although the provider sent %i and %i', (one, another) => {
    const sent = [at(one, text), at(one, words), at(one, close), at(another, call), at(another, close)];

    expect(passed([start, ...sent, ending('tool_use', 2), end])).toEqual([
      start,
      text,
      words,
      close,
      at(1, call),
      at(1, close),
      ending('tool_use', 2),
      end,
    ]);
  });

  it('distinguish blocks that are open at the same time', () => {
    const sent = [at(2, text), at(5, text), at(2, words), at(5, words), at(5, close), at(2, close)];

    expect(passed([start, ...sent, ending('end_turn', 2), end]).slice(1, -2)).toEqual([
      text,
      at(1, text),
      words,
      at(1, words),
      at(1, close),
      close,
    ]);
  });

  it('end a text at whose index another block begins', () => {
    const thinking = open({ type: 'thinking', thinking: '', signature: '' });

    expect(passed([start, text, words, thinking, close, ending('end_turn', 2), end])).toEqual([
      start,
      text,
      words,
      close,
      at(1, thinking),
      at(1, close),
      ending('end_turn', 2),
      end,
    ]);
  });

  it('fail the answer if another block begins at the index of an open call', () => {
    expect(() => passed([start, call, text])).toThrow('a block in the middle of a tool call');
  });

  it('may belong to no block in the end of a block', () => {
    expect(passed([start, text, close, close, at(7, close), ending('end_turn', 2), end])).toEqual([
      start,
      text,
      close,
      ending('end_turn', 2),
      end,
    ]);
  });

  it.each([undefined, null, '0', NaN])('fail the answer if a block has %j instead', (index) => {
    expect(() => passed([start, { ...text, index } as unknown as MessagesEvent])).toThrow('a block without its index');
  });
});

describe('null', () => {
  it.each<[string, Block, object, object]>([
    ['text', { type: 'text', text: null }, { type: 'text', text: '' }, { type: 'text_delta', text: null }],
    [
      'thinking',
      { type: 'thinking', thinking: null, signature: null },
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: null },
    ],
    [
      'arguments',
      { type: 'tool_use', id: 'a', name: 'look', input: null },
      { type: 'tool_use', id: 'a', name: 'look', input: {} },
      { type: 'input_json_delta', partial_json: null },
    ],
  ])('counts as empty instead of %s', (_name, block, content_block, delta) => {
    const piece = { type: 'content_block_delta', index: 0, delta } as MessagesEvent;
    expect(passed([start, open(block), piece, close])).toEqual([
      start,
      { type: 'content_block_start', index: 0, content_block },
      close,
    ]);
  });
});

it.each<[Block, Block]>([
  [{ type: 'text' }, { type: 'text', text: '' }],
  [{ type: 'thinking' }, { type: 'thinking', thinking: '', signature: '' }],
])('the start of a block without content has empty content: %j', (sent, expected) => {
  expect(passed([start, open(sent), close])).toEqual([start, open(expected), close]);
});
