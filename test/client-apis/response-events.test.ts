import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionUsage } from '../../lambdas/client-apis/chat/usage.ts';
import { ResponseWriter } from '../../lambdas/client-apis/responses/stream-events.ts';
import { ToolNames } from '../../lambdas/client-apis/tool-names.ts';
import { unsealedThinking } from '../../lambdas/client-apis/responses/sealed-thinking.ts';
import { wholeResponse } from '../../lambdas/client-apis/responses/whole-response.ts';
import type { Block, Delta, MessagesEvent } from '../../lambdas/messages/types.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { answerEvents, byteCuts, cutBytes, interleaved, wholeMessage } from '../support/answer-arbitrary.ts';
import { dataIn } from '../support/sse-client.ts';

const identity = { generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'sandbox/claude' };
const settings = { tools: new ToolNames(), showsSources: true, showsThinking: true };

interface Event {
  type: string;
  sequence_number: number;
  output_index?: number;
  item_id?: string;
  item?: { id: string; type: string; arguments?: string };
  delta?: string;
  response?: { status: string; output: object[]; error: { code: string } | null; completed_at: unknown };
}

function written(events: readonly MessagesEvent[], asked = settings): string {
  const writer = new ResponseWriter(identity, asked);
  return events.map((event) => writer.write(event)).join('');
}

function eventsIn(text: string, cuts: readonly number[] = []): Event[] {
  return dataIn(cutBytes(text, cuts)).map((data) => JSON.parse(data) as Event);
}

function textOf(events: readonly Event[], type: string, id: string): string {
  return events.flatMap((event) => (event.type === type && event.item_id === id ? [event.delta!] : [])).join('');
}

/** Replaces the time of completion, which differs between two answers, with its type. */
const timeless = (response: { completed_at: unknown }) => ({
  ...response,
  completed_at: typeof response.completed_at,
});

const wholeCall = (index: number): MessagesEvent[] => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `c${index}`, name: 'f', input: {} },
  },
  { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
];

const cutOff: MessagesEvent = {
  type: 'message_delta',
  delta: { stop_reason: 'max_tokens', stop_sequence: null },
  usage: { output_tokens: 9 },
};
const calling: MessagesEvent = { ...cutOff, delta: { stop_reason: 'tool_use', stop_sequence: null } };
const stop: MessagesEvent = { type: 'message_stop' };
const start: MessagesEvent = {
  type: 'message_start',
  message: {
    id: identity.generationId,
    type: 'message',
    role: 'assistant',
    model: identity.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 0 },
  },
};

const timelessEvent = (event: Event) => (event.response ? { ...event, response: timeless(event.response) } : event);

describe('a streamed response', () => {
  it('ends with the same response as a whole answer, at any cuts of its bytes', () => {
    fc.assert(
      fc.property(answerEvents, byteCuts, fc.boolean(), (events, cuts, showsThinking) => {
        const asked = { ...settings, showsThinking };
        const last = eventsIn(written(events, asked), cuts).at(-1)!;

        const whole = wholeResponse(wholeMessage(events), asked) as NonNullable<Event['response']>;
        expect(timeless(last.response!)).toEqual(timeless(whole));
        expect(last.type).toBe(`response.${last.response!.status}`);
      }),
    );
  });

  it('has its events in the order that clients require: numbered, created first, each item added before its pieces, then done', () => {
    fc.assert(
      fc.property(answerEvents, (sent) => {
        const events = eventsIn(written(sent));

        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
        expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
        const open: string[] = [];
        const done: object[] = [];
        for (const { type, item, item_id: id, output_index: index } of events) {
          if (type === 'response.output_item.added') open.push(item!.id);
          else if (type === 'response.output_item.done') {
            expect(open.splice(0)).toEqual([item!.id]);
            expect(index).toBe(done.length);
            done.push(item!);
          } else if (id !== undefined) {
            expect([id, index]).toEqual([open[0], done.length]);
          }
        }
        expect(events.at(-1)!.response!.output).toEqual(done);
      }),
    );
  });

  it('has the same events if pieces of the blocks alternate', () => {
    fc.assert(
      fc.property(answerEvents, (sent) => {
        expect(eventsIn(written(interleaved(sent))).map(timelessEvent)).toEqual(
          eventsIn(written(sent)).map(timelessEvent),
        );
      }),
    );
  });

  it('has the blocks that wait for a block without an end', () => {
    const { output } = eventsIn(written([...wholeCall(0), ...wholeCall(1), ...wholeCall(2), cutOff, stop])).at(
      -1,
    )!.response!;

    expect(output).toMatchObject([{ call_id: 'c0', arguments: '{"a":1}' }, { call_id: 'c1' }, { call_id: 'c2' }]);
  });

  it('ends a block for which too many events wait, and has the waiting blocks at once', () => {
    const thinking: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    ];
    const text: MessagesEvent = { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } };
    const word: MessagesEvent = { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'x' } };
    const words = Array.from({ length: 65_536 }, () => word);
    const ends = [1, 0].map((index): MessagesEvent => ({ type: 'content_block_stop', index }));
    const writer = new ResponseWriter(identity, settings);

    const before = [...thinking, text, ...words.slice(1)].map((event) => writer.write(event)).join('');
    const after = [words[0]!, word, ...ends, cutOff, stop].map((event) => writer.write(event));

    expect(before).not.toContain('output_text');
    expect(after[0]).toContain('response.reasoning_summary_text.done');
    expect(after[1]).toContain('response.output_text.delta');
    const { output } = eventsIn(before + after.join('')).at(-1)!.response!;
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm' }] },
      { type: 'message', content: [{ text: 'x'.repeat(65_537) }] },
    ]);
  });

  it.each<[string, Block, Delta, object[]]>([
    ['a text', { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }, [{ content: [{ text: 'Hi' }] }]],
    [
      'thinking',
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'Hm' },
      [{ summary: [{ text: 'Hm' }] }],
    ],
    [
      'a call',
      { type: 'tool_use', id: 'c0', name: 'f', input: {} },
      { type: 'input_json_delta', partial_json: '{"a' },
      [{ arguments: '{"a' }],
    ],
  ])('ends with its last event if a provider ends the answer before %s', (_, block, delta, output) => {
    const events = eventsIn(
      written([
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        cutOff,
        { type: 'content_block_stop', index: 0 },
        stop,
      ]),
    );

    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { output } });
  });

  it('has one last event, with the last usage, if a provider reports usage after the stop reason', () => {
    const usage = { input_tokens: 7, output_tokens: 500 };
    const events = eventsIn(written([cutOff, { ...cutOff, usage }, stop]));

    expect(events.map(({ type }) => type)).toEqual(['response.incomplete']);
    expect(events[0]!.response).toMatchObject({ usage });
  });

  it('counts all parts of the usage that have their own prices', () => {
    const usage = {
      input_tokens: 7,
      audio_input_tokens: 3,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 500,
      server_tool_use: { web_search_requests: 2 },
      cost: 3,
    };
    const [event] = eventsIn(written([{ ...cutOff, usage }, stop]));
    const details = {
      cached_tokens: 20,
      cache_write_tokens: 30,
      cache_creation_token_details: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      audio_tokens: 3,
    };

    expect(event!.response).toMatchObject({
      usage: { input_tokens: 57, input_tokens_details: details, server_tool_use: { web_search_requests: 2 }, cost: 3 },
    });
    expect(completionUsage(usage)).toMatchObject({ prompt_tokens: 57, prompt_tokens_details: details });
  });

  it('has the same text in its pieces as in its completed items', () => {
    fc.assert(
      fc.property(answerEvents, (sent) => {
        const events = eventsIn(written(sent));
        const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item!);

        for (const item of done.filter(({ type }) => type === 'function_call')) {
          expect(textOf(events, 'response.function_call_arguments.delta', item.id)).toBe(item.arguments);
        }
        const messages = done.filter(({ type }) => type === 'message') as unknown as {
          id: string;
          content: { type: string; text?: string }[];
        }[];
        for (const { id, content } of messages) {
          const text = content.map((part) => part.text ?? '').join('');
          expect(textOf(events, 'response.output_text.delta', id)).toBe(text);
        }
      }),
    );
  });

  it('returns thinking with the signature of its provider', () => {
    const block = { type: 'thinking', thinking: 'Hm. 😀', signature: 'abc' };
    const events: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
    ];

    const item = eventsIn(written(events)).at(-1)!.item as unknown as { encrypted_content: string };

    expect(unsealedThinking(item.encrypted_content)).toEqual(block);
  });

  it('has no thinking text without a requested summary, and accepts it back', () => {
    const block = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
    const sent: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: { ...block, thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'abc' } },
      { type: 'content_block_stop', index: 0 },
    ];

    const events = eventsIn(written(sent, { ...settings, showsThinking: false }));

    expect(events.map(({ type }) => type)).toEqual(['response.output_item.added', 'response.output_item.done']);
    const item = events.at(-1)!.item as unknown as { summary: object[]; encrypted_content: string };
    expect(item.summary).toEqual([]);
    expect(unsealedThinking(item.encrypted_content)).toEqual(block);
  });

  it('has the input of a custom tool as the text', () => {
    const call = { type: 'tool_use', id: 'c1', name: 'apply_patch', input: {} };
    const events: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: call },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"input":"*** Begin' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ' Patch"}' } },
      { type: 'content_block_stop', index: 0 },
    ];

    const done = eventsIn(
      written(events, { ...settings, tools: new ToolNames([{ name: 'apply_patch', kind: 'custom' }]) }),
    ).at(-1)!;

    expect(done.item).toMatchObject({ type: 'custom_tool_call', call_id: 'c1', input: '*** Begin Patch' });
  });

  it('has the input of a custom tool as the model wrote it if its arguments are cut off', () => {
    const call = { type: 'tool_use', id: 'c1', name: 'apply_patch', input: {} };
    const events: MessagesEvent[] = [
      { type: 'content_block_start', index: 0, content_block: call },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"input":"*** Be' } },
      { type: 'content_block_stop', index: 0 },
      cutOff,
      stop,
    ];
    const tools = new ToolNames([{ name: 'apply_patch', kind: 'custom' }]);

    const [delta, end, done] = eventsIn(written(events, { ...settings, tools })).slice(-4);

    const input = '{"input":"*** Be';
    expect(delta).toMatchObject({ delta: input });
    expect(end).toMatchObject({ input });
    expect(done).toMatchObject({ item: { type: 'custom_tool_call', status: 'incomplete', input } });
  });

  it.each<[string, string, MessagesEvent, string]>([
    ['cut off', '{"a', cutOff, 'incomplete'],
    ['cut off after the name of the tool', '', cutOff, 'incomplete'],
    ['complete, although the answer reached its limit', '{"a":1}', cutOff, 'completed'],
    ['invalid', '{"a', calling, 'completed'],
    ['empty', '', calling, 'completed'],
  ])('has the status of a last call whose arguments are %s, as a whole answer', (_, json, ending, status) => {
    const [begin] = wholeCall(0);
    const piece: MessagesEvent = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: json },
    };
    const sent = [
      start,
      begin!,
      ...(json === '' ? [] : [piece]),
      { type: 'content_block_stop', index: 0 },
      ending,
      stop,
    ];

    const { output } = eventsIn(written(sent as MessagesEvent[])).at(-1)!.response!;

    expect(output).toMatchObject([{ type: 'function_call', status, arguments: json || '{}' }]);
    const { output: whole } = wholeResponse(wholeMessage(sent as MessagesEvent[]), settings) as { output: object[] };
    expect(whole).toMatchObject([{ arguments: json || '{}' }]);
    if (ending === cutOff) expect(whole).toEqual(output);
  });

  it('has an incomplete message if the answer reached its limit within its text', () => {
    const text: MessagesEvent = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } };
    const end: MessagesEvent = { type: 'content_block_stop', index: 0 };

    const { output } = eventsIn(written([text, end, cutOff, stop])).at(-1)!.response!;

    expect(output).toMatchObject([{ type: 'message', status: 'incomplete' }]);
  });

  it('has a search with its results', () => {
    const found = [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'x' }];
    const events = [
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id: 's1', name: 'web_search' },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"query":"Baikal"}' },
      },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'web_search_tool_result', tool_use_id: 's1', content: found },
      },
      { type: 'content_block_stop', index: 1 },
    ] as MessagesEvent[];

    const done = eventsIn(written(events)).at(-1)!;

    expect(done).toMatchObject({
      type: 'response.output_item.done',
      item: {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'Baikal', sources: [{ type: 'url', url: 'https://a.example' }] },
      },
    });
  });

  it.each([
    ['must not be retried, because it may be charged', { 'x-should-retry': 'false' }, 'invalid_prompt'],
    ['may be retried before any output', {}, 'server_is_overloaded'],
  ])('ends with a failure that %s', (_, headers, code) => {
    const writer = new ResponseWriter(identity, settings);
    const error = new GatewayError('provider_overloaded', 'Overloaded', { headers });

    const events = eventsIn(writer.fail(error));

    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'error',
      'response.failed',
    ]);
    expect(events.at(-1)!.response).toMatchObject({ status: 'failed', error: { code, message: 'Overloaded' } });
    const fields = { code, message: 'Overloaded', param: null };
    expect(events.at(-2)).toEqual({ type: 'error', sequence_number: 2, ...fields, error: { type: code, ...fields } });
  });
});
