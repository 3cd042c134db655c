/** Streams of chat completions that differ from OpenAI's. */

import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';

const context = {
  target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [] },
  estimatedInputTokens: 1,
};

async function eventsOf(stream: string): Promise<MessagesEvent[]> {
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(stream));
  }
  const all: MessagesEvent[] = [];
  for await (const { events } of openaiChatWire.decode(body(), context)) all.push(...events.map(({ data }) => data));
  return all;
}

async function messageOf(stream: string) {
  const assembler = new MessageAssembler();
  for (const data of await eventsOf(stream)) assembler.add(data);
  return assembler.finish()!;
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (choice: object) => event({ choices: [{ index: 0, ...choice }] });
const piece = (delta: object) => chunk({ delta });
const call = (index: unknown, more: object) => piece({ tool_calls: [{ index, ...more }] });
const soFar = (content: string, delta: object) => chunk({ delta, message: { role: 'assistant', content } });
const stop = (reason: string) => `${chunk({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`;

describe('a stream of chat completions', () => {
  it('may have a whole message instead of deltas', async () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }],
    };

    for (const last of [{ message }, { message, delta: {} }]) {
      const { content, stop_reason } = await messageOf(
        `${chunk({ ...last, finish_reason: 'tool_calls' })}data: [DONE]\n\n`,
      );

      expect(content).toMatchObject([{ text: 'Hi' }, { type: 'tool_use', id: 'a', name: 'look', input: {} }]);
      expect(stop_reason).toBe('tool_use');
    }
  });

  it.each<[string, string[]]>([
    ['twice', ['{"at"', ':1}', '{"at":1}']],
    ['twice, the second time in pieces', ['{"at":1}', '{"at"', ':1}']],
    ['after an empty object', ['{}', '{"at"', ':1}']],
    ['after an empty object with spaces', [' { }', '\n', '{"at":1}']],
    ['before a brace too many', ['{"at":1}', '}']],
  ])('may have the arguments of a call %s', async (_, pieces) => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '' } });
    const rest = pieces.map((json) => call(0, { function: { arguments: json } })).join('');
    const { content, stop_reason } = await messageOf(head + rest + stop('tool_calls'));

    expect(content).toMatchObject([{ id: 'a', name: 'look', input: { at: 1 } }]);
    expect(stop_reason).toBe('tool_use');
  });

  it('may have a brace too many after the arguments of a call that waits for an earlier one', async () => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '{"at"' } });
    const waiting = call(1, { id: 'b', function: { name: 'look', arguments: '{"at":2}' } });
    const rest = call(1, { function: { arguments: '}' } }) + call(0, { function: { arguments: ':1}' } });

    const { content } = await messageOf(head + waiting + rest + stop('tool_calls'));

    expect(content).toMatchObject([{ input: { at: 1 } }, { input: { at: 2 } }]);
  });

  it('fails if arguments follow a call that ended with an empty object', async () => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '{}' } });
    const another = call(1, { id: 'b', function: { name: 'look', arguments: '{}' } });
    const [empty, late] = ['{}', '{"at":1}'].map((json) => call(0, { function: { arguments: json } }));

    expect((await messageOf(head + another + empty + stop('tool_calls'))).content).toHaveLength(2);
    await expect(messageOf(head + another + late + stop('tool_calls'))).rejects.toThrow('continued a tool call');
  });

  it('may have the arguments of its last call at the next index', async () => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '' } });
    const nameless = call(1, { id: null, function: { name: null, arguments: '{"at":1}' } });

    expect((await messageOf(head + nameless + stop('tool_calls'))).content).toMatchObject([{ input: { at: 1 } }]);
  });

  it.each<[string, [announced: number, sent: number][]]>([
    [
      'from 1',
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      'one too late for the arguments',
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ],
    [
      'of the tools, and of the calls for the arguments',
      [
        [1, 0],
        [0, 1],
        [1, 2],
      ],
    ],
    [
      'that are all the same',
      [
        [0, 0],
        [0, 0],
      ],
    ],
  ])('may have several calls with indices %s', async (_, indices) => {
    const calls = indices.map(
      ([announced, sent], at) =>
        call(announced, { id: `id${at}`, function: { name: 'look', arguments: '' } }) +
        call(sent, { function: { arguments: '{"at"' } }) +
        call(sent, { function: { arguments: `:${at}}` } }),
    );

    expect((await messageOf(calls.join('') + stop('tool_calls'))).content).toEqual(
      indices.map((_each, at) => expect.objectContaining({ id: `id${at}`, input: { at } })),
    );
  });

  it('may have interleaved calls with the same index and different ids', async () => {
    const pieces = ['{"at"', ':'].map((json) =>
      ['a', 'b'].map((id) => call(0, { id, function: { name: 'look', arguments: json } })).join(''),
    );
    const ends =
      call(0, { id: 'a', function: { arguments: '1}' } }) + call(0, { id: 'b', function: { arguments: '2}' } });

    const { content } = await messageOf(pieces.join('') + ends + stop('tool_calls'));
    expect(content).toMatchObject([
      { id: 'a', input: { at: 1 } },
      { id: 'b', input: { at: 2 } },
    ]);
  });

  it.each<[string, object, object]>([
    ['ids and without indices', { id: 'a' }, { id: 'a' }],
    ['ids and indices', { id: 'a', index: 0 }, { id: 'a', index: 0 }],
    ['indices and without ids', { index: 0 }, { index: 0 }],
    ['names and without arguments', {}, {}],
  ])('may have several calls in one list with the same %s', async (_, one, other) => {
    const calls = [one, other].map((more) => ({ ...more, function: { name: 'look' } }));
    const { content } = await messageOf(piece({ tool_calls: calls }) + stop('tool_calls'));

    expect(content).toMatchObject([{ name: 'look' }, { name: 'look' }]);
    expect(new Set(content.map(({ id }) => id)).size).toBe(2);
  });

  it('may have calls of different tools with the same index and id', async () => {
    const calls = ['look', 'find'].map((name, at) =>
      call(0, { id: 'a', function: { name, arguments: `{"at":${at}}` } }),
    );

    expect((await messageOf(calls.join('') + stop('tool_calls'))).content).toMatchObject([
      { id: 'a', name: 'look', input: { at: 0 } },
      { id: expect.stringMatching(/^toolu_/) as string, name: 'find', input: { at: 1 } },
    ]);
  });

  it('fails if arguments belong to no call', async () => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '{"at":1}' } });
    const nameless = call(1, { id: null, function: { name: null, arguments: '{"at":2}' } });

    await expect(messageOf(head + nameless + stop('tool_calls'))).rejects.toThrow('without its name');
  });

  it.each([' ', '{}', 'null'])('may have the empty arguments %j of no call', async (json) => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '{"at":1}' } });
    const nameless = call(1, { function: { arguments: json } });

    expect((await messageOf(head + nameless + stop('tool_calls'))).content).toMatchObject([{ input: { at: 1 } }]);
  });

  it('fails if the arguments of two calls arrive without a name', async () => {
    const head = call(0, { id: 'a', function: { name: 'look', arguments: '' } });
    const nameless = [1, 2].map((index) => call(index, { function: { arguments: `{"at":${index}}` } })).join('');

    await expect(messageOf(head + nameless + stop('tool_calls'))).rejects.toThrow('without its name');
  });

  it('may have events without data, which keep the connection open', async () => {
    const { content } = await messageOf(`data:\n\n${piece({ content: 'Hi' })}event: ping\ndata: \n\n${stop('stop')}`);

    expect(content).toEqual([{ type: 'text', text: 'Hi' }]);
  });

  it('may have texts in a list of parts of any type', async () => {
    const parts = [
      { type: 'text', text: 'A' },
      { type: 'output_text', text: 'B' },
      { type: 'reference', reference_ids: [1] },
    ];

    expect((await messageOf(piece({ content: parts }) + stop('stop'))).content).toEqual([{ type: 'text', text: 'AB' }]);
  });

  it('may have the message so far next to each delta', async () => {
    const { content } = await messageOf(
      soFar('A', { content: 'A' }) + soFar('AB', { content: 'B' }) + soFar('AB', {}) + stop('stop'),
    );

    expect(content).toEqual([{ type: 'text', text: 'AB' }]);
  });

  it.each<[string, object]>([
    [
      'details alone',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      },
    ],
    ['an empty field before the other', { reasoning_content: '', reasoning: 'Hm.' }],
    ['both fields', { reasoning_content: 'Hm.', reasoning: 'Hm.' }],
  ])('may have its reasoning as %s', async (_, delta) => {
    const { content } = await messageOf(piece(delta) + piece({ content: 'Hi' }) + stop('stop'));

    expect(content).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, { text: 'Hi' }]);
  });

  it('may have reasoning of another form, which is no text', async () => {
    const { content } = await messageOf(
      piece({ reasoning: { effort: 'low' } }) + piece({ content: 'Hi' }) + stop('stop'),
    );

    expect(content).toMatchObject([{ text: 'Hi' }]);
  });

  it('may have indices of calls as texts, also of calls that come together', async () => {
    const { content } = await messageOf(
      call('0', { id: 'a', function: { name: 'look', arguments: '{"a":' } }) +
        call('1', { id: 'b', function: { name: 'look', arguments: '{"b":' } }) +
        call('0', { function: { arguments: '1}' } }) +
        call('1', { function: { arguments: '2}' } }) +
        stop('tool_calls'),
    );

    expect(content).toMatchObject([{ input: { a: 1 } }, { input: { b: 2 } }]);
  });

  it('may have arguments before the name of their call', async () => {
    const { content } = await messageOf(
      call(0, { id: 'a', function: { arguments: '{"a"' } }) +
        call(0, { function: { name: 'look', arguments: ':1}' } }) +
        stop('tool_calls'),
    );

    expect(content).toMatchObject([{ name: 'look', input: { a: 1 } }]);
  });

  it('may have null as an event, a choice, a call or a part', async () => {
    const { content, stop_reason } = await messageOf(
      'data: null\n\n' +
        event({ choices: [null, { index: 0, delta: { content: [null, { type: 'text', text: 'Hi' }] } }] }) +
        'data: null\n\n' +
        piece({ tool_calls: [null, { index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] }) +
        stop('tool_calls'),
    );

    expect(content).toMatchObject([{ text: 'Hi' }, { id: 'a', name: 'look' }]);
    expect(stop_reason).toBe('tool_use');
  });

  it.each(['null', 'None'])('goes on after the finish reason "%s" as a text', async (none) => {
    const begun = chunk({ delta: { content: 'H' }, finish_reason: none });

    expect(await messageOf(begun + piece({ content: 'i' }) + stop('stop'))).toMatchObject({
      content: [{ text: 'Hi' }],
    });
    await expect(eventsOf(begun)).rejects.toThrow('before it was complete');
  });

  it('may separate its events by one line feed', async () => {
    const { content } = await messageOf((piece({ content: 'Hi' }) + stop('stop')).replaceAll('\n\n', '\n'));

    expect(content).toEqual([{ type: 'text', text: 'Hi' }]);
  });

  it.each([
    ['without a finish reason', ''],
    ['with a finish reason', chunk({ delta: {}, finish_reason: 'stop' })],
  ])('that Groq stopped early %s is a failure, not a complete answer', async (_, before) => {
    const stopped = event({ choices: [], x_groq: { id: 'req_1', error: 'The stream was stopped early' } });
    const events = await eventsOf(`${piece({ content: 'Hi' })}${before}${stopped}data: [DONE]\n\n`);

    expect(events.at(-1)).toEqual({ type: 'error', error: 'The stream was stopped early' });
    expect(events.map(({ type }) => type)).not.toContain('message_delta');
  });

  it.each([
    { error_type: 'context_length_exceeded', error_message: 'Too long.' },
    { errorCode: 'busy', errorMessage: 'Try again.' },
    { errors: [{ code: 429, message: 'Slow down.' }] },
  ])('may have the error %j without the field `error`', async (error) => {
    expect((await eventsOf(piece({ content: 'Hi' }) + event(error))).at(-1)).toEqual({ type: 'error', error });
  });

  it.each([
    ['content_filtered', 'refusal'],
    ['length', 'max_tokens'],
    ['repetition_truncation', 'max_tokens'],
    ['repetition', 'max_tokens'],
  ])('with the finish reason %s has the stop reason %s', async (reason, stopReason) => {
    expect(await messageOf(piece({ content: 'Hi' }) + stop(reason))).toMatchObject({ stop_reason: stopReason });
  });
});
