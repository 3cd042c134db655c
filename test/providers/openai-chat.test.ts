import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesEvent, MessagesRequest } from '../../lambdas/messages/types.ts';
import { decodeChatStream } from '../../lambdas/providers/openai-chat/decode.ts';
import { encodeChatRequest } from '../../lambdas/providers/openai-chat/encode.ts';
import { openaiUsage } from '../../lambdas/providers/translated/openai-usage.ts';
import { summarize } from '../support/sse.ts';

const target = (quirks: OpenaiChatQuirks = {}) => ({
  providerId: 'test',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters: ['temperature', 'tools'],
  quirks,
});

const request = (more: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'a/b',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

const encode = (more: Partial<MessagesRequest>, quirks: OpenaiChatQuirks = {}) =>
  encodeChatRequest(request(more), target(quirks));

async function decode(chunks: object[], tail = 'data: [DONE]\n\n', stops?: string[]): Promise<MessagesEvent[]> {
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + tail;
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(text));
  }
  const events: MessagesEvent[] = [];
  const context = {
    target: target(),
    request: request(stops ? { stop_sequences: stops } : {}),
    estimatedInputTokens: 7,
  };
  for await (const batch of decodeChatStream(body(), context)) events.push(...batch.events.map(({ data }) => data));
  return events;
}

const delta = (inner: object, finish: string | null = null) => ({ choices: [{ delta: inner, finish_reason: finish }] });
const call = (index: number | undefined, more: object) => delta({ tool_calls: [{ index, ...more }] });

describe('a request for chat completions', () => {
  it.each([' \n', [{ type: 'text', text: ' \n' }]])('has no blank system prompt: %j', (system) => {
    expect(encode({ system })['messages']).toEqual([{ role: 'user', content: 'Hi' }]);
  });

  it('has the system prompt, also later ones, in the role that the provider reads', () => {
    const { messages } = encode(
      {
        system: [
          { type: 'text', text: 'One', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Two' },
        ],
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'system', content: 'Later' },
        ],
      },
      { system_role: 'developer' },
    );
    expect(messages).toEqual([
      { role: 'developer', content: 'One\n\nTwo' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'Later' },
    ]);
  });

  it('has tool results directly after the call, followed by their images and the text of the user', () => {
    const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAA' } };
    const { messages } = encode({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And?' },
            { type: 'tool_result', tool_use_id: 't1', is_error: true, content: [{ type: 'text', text: 'Oh' }, image] },
          ],
        },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: 'Error: Oh\n(the image of this result follows)' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAA' } },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it('returns its own thinking if the provider expects it, and never foreign thinking', () => {
    const content: Block[] = [
      { type: 'thinking', thinking: 'mine', signature: 'gw1.openai-chat' },
      { type: 'thinking', thinking: 'foreign', signature: 'EqQBCg' },
      { type: 'text', text: 'So' },
    ];
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content },
    ];
    expect(encode({ messages }, { reasoning_history: 'reasoning_content' })['messages']).toEqual([
      messages[0],
      { role: 'assistant', content: 'So', reasoning_content: 'mine' },
    ]);
    expect(encode({ messages })['messages']).toEqual([messages[0], { role: 'assistant', content: 'So' }]);
  });

  it.each([
    [{ type: 'auto' as const }, 'auto', undefined],
    [{ type: 'any' as const }, 'required', undefined],
    [{ type: 'none' as const }, 'none', undefined],
    [{ type: 'tool' as const, name: 'look' }, { type: 'function', function: { name: 'look' } }, undefined],
    [{ type: 'auto' as const, disable_parallel_tool_use: true }, 'auto', false],
  ])('has the tool_choice %j', (choice, expected, parallel) => {
    const body = encode({ tools: [{ name: 'look', input_schema: { type: 'object' } }], tool_choice: choice });
    expect(body).toMatchObject({ tool_choice: expected });
    expect(body['parallel_tool_calls']).toBe(parallel);
  });

  it('has no tool_choice without tools', () => {
    expect(encode({ tool_choice: { type: 'auto' } })).not.toHaveProperty('tool_choice');
  });

  it('has max_tokens within the limit, under the name that the provider reads', () => {
    expect(encode({ max_tokens: 5_000 }, { max_tokens_field: 'max_completion_tokens' })).toMatchObject({
      max_completion_tokens: 1_000,
    });
  });

  it('shortens tool ids if the provider limits them, equally in the call and the result', () => {
    const { messages } = encode(
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_0123456789', name: 'x', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_0123456789', content: 'ok' }] },
        ],
      },
      { tool_call_ids: 'nine_alphanumerics' },
    ) as { messages: [unknown, { tool_calls: { id: string }[] }, { tool_call_id: string }] };
    expect(messages[2].tool_call_id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[1].tool_calls[0]!.id).toBe(messages[2].tool_call_id);
  });

  it.each<[string, Partial<MessagesRequest>]>([
    ['max_tokens', { max_tokens: 0 }],
    ['tools.0.type', { tools: [{ name: 'bash', type: 'bash_20250124' }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'container_upload' }] }] }],
  ])('refuses unsupported features by name: %s', (field, more) => {
    expect(() => encode(more)).toThrow(expect.objectContaining({ status: 400, metadata: { field } }) as Error);
  });
});

describe('a chat-completions stream', () => {
  it('separates interleaved parallel calls, and closes each block before the next', async () => {
    const events = await decode([
      call(0, { id: 'a', function: { name: 'one', arguments: '{"x"' } }),
      call(1, { id: 'b', function: { name: 'two', arguments: '{"y"' } }),
      call(0, { function: { arguments: ':1}' } }),
      call(1, { function: { arguments: ':2}' } }),
      delta({}, 'tool_calls'),
    ]);
    expect(summarize(events).tools).toEqual([
      { name: 'one', input: { x: 1 } },
      { name: 'two', input: { y: 2 } },
    ]);
    const order = events.flatMap((event) =>
      'index' in event ? [`${event.type.slice(14)} ${String(event.index)}`] : [],
    );
    expect(order.indexOf('stop 0')).toBeLessThan(order.indexOf('start 1'));
  });

  it('reads another id at the same index as another call', async () => {
    const events = await decode([
      call(0, { id: 'a', function: { name: 'one', arguments: '{}' } }),
      call(0, { id: 'b', function: { name: 'two', arguments: '{}' } }),
      delta({}, 'stop'),
    ]);
    expect(summarize(events)).toMatchObject({ tools: [{ name: 'one' }, { name: 'two' }], stopReason: 'tool_use' });
  });

  it('skips empty calls, and reads missing, empty and object arguments', async () => {
    const events = await decode([
      call(0, {}),
      call(undefined, { id: 'a', function: { name: 'none' } }),
      call(undefined, { id: 'b', function: { name: 'object', arguments: { k: 'v' } } }),
      delta({}, 'tool_calls'),
    ]);
    expect(summarize(events).tools).toEqual([
      { name: 'none', input: {} },
      { name: 'object', input: { k: 'v' } },
    ]);
  });

  it('keeps a call together if text arrives between its pieces', async () => {
    const events = await decode([
      call(0, { id: 'a', function: { name: 'one', arguments: '{"x":' } }),
      delta({ content: 'by the way' }),
      call(0, { function: { arguments: '1}' } }),
      delta({}, 'tool_calls'),
    ]);
    expect(summarize(events)).toMatchObject({ text: 'by the way', tools: [{ name: 'one', input: { x: 1 } }] });
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['model_length', 'model_context_window_exceeded'],
    ['SAFETY', 'refusal'],
    ['eos', 'end_turn'],
  ])('reports %s as %s', async (finish, reason) => {
    expect(summarize(await decode([delta({ content: 'x' }, finish)])).stopReason).toBe(reason);
  });

  it('has the stop sequence if the provider reports it', async () => {
    const last = { choices: [{ delta: { content: 'x' }, finish_reason: 'stop', stop_reason: 'END' }] };
    const events = await decode([last], undefined, ['END']);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' } });
  });

  it('ends without [DONE], but not without a stop reason', async () => {
    expect((await decode([delta({ content: 'x' }, 'stop')], '')).at(-1)).toEqual({ type: 'message_stop' });
    await expect(decode([delta({ content: 'x' })], '')).rejects.toMatchObject({ failure: 'broken' });
  });

  it('fails if the provider behind a relay has failed, whatever the relay reports', async () => {
    const last = { choices: [{ delta: {}, finish_reason: 'stop', native_finish_reason: 'network_error' }] };
    const events = await decode([delta({ content: 'x' }), last]);
    expect(events.at(-1)).toMatchObject({ type: 'error' });
  });

  it('passes on an error inside the stream, and no later event', async () => {
    const events = await decode([
      delta({ content: 'x' }),
      { error: { message: 'Busy', code: 503 } },
      delta({ content: 'y' }),
    ]);
    expect(events.at(-1)).toEqual({ type: 'error', error: { code: 503, message: 'Busy' } });
  });
});

describe('chat-completions usage', () => {
  it.each([
    [
      'OpenAI: caches and reasoning inside',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      70,
      50,
      30,
    ],
    [
      'xAI: reasoning apart',
      {
        prompt_tokens: 10,
        completion_tokens: 26,
        total_tokens: 263,
        completion_tokens_details: { reasoning_tokens: 227 },
      },
      10,
      253,
      undefined,
    ],
    [
      'reasoning apart, and no total',
      { prompt_tokens: 10, completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 690 } },
      10,
      700,
      undefined,
    ],
    [
      'DeepSeek: hits and misses',
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      36,
      5,
      64,
    ],
    [
      'more cached than there is',
      { prompt_tokens: 24, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 161 } },
      0,
      1,
      24,
    ],
    [
      'caches apart from the prompt, according to the total',
      { prompt_tokens: 100, completion_tokens: 10, total_tokens: 1_010, prompt_tokens_details: { cached_tokens: 900 } },
      100,
      10,
      900,
    ],
    [
      'caches apart from a longer prompt',
      {
        prompt_tokens: 1_000,
        completion_tokens: 10,
        total_tokens: 1_910,
        prompt_tokens_details: { cached_tokens: 900 },
      },
      1_000,
      10,
      900,
    ],
    [
      'reasoning apart, as many tokens as were cached',
      {
        prompt_tokens: 1_000,
        completion_tokens: 10,
        total_tokens: 1_910,
        prompt_tokens_details: { cached_tokens: 900 },
        completion_tokens_details: { reasoning_tokens: 900 },
      },
      100,
      910,
      900,
    ],
    ['the names of the Messages API', { input_tokens: 1_000, output_tokens: 10 }, 1_000, 10, undefined],
    [
      'the names of the Messages API, which counts caches apart',
      { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 900 },
      100,
      10,
      900,
    ],
    [
      'a relay of Claude, whose prompt has its caches',
      { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010, cache_read_input_tokens: 900 },
      100,
      10,
      900,
    ],
    [
      'a relay of Claude, whose prompt is without them',
      { prompt_tokens: 100, completion_tokens: 10, cache_read_input_tokens: 900 },
      100,
      10,
      900,
    ],
    [
      'the names of the Responses API',
      { input_tokens: 1_000, output_tokens: 10, input_tokens_details: { cached_tokens: 900 } },
      100,
      10,
      900,
    ],
    [
      'zeros that a relay fills in beside DeepSeek’s own fields',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 0 },
        prompt_cache_hit_tokens: 64,
      },
      36,
      5,
      64,
    ],
    [
      'zeros beside the names of another API',
      { prompt_tokens: 0, completion_tokens: 0, input_tokens: 1_000, output_tokens: 10 },
      1_000,
      10,
      undefined,
    ],
    [
      'hits and misses without their sum',
      { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36, completion_tokens: 5 },
      36,
      5,
      64,
    ],
    ['no count of the prompt beside a total', { completion_tokens: 10, total_tokens: 1_010 }, 1_000, 10, undefined],
    [
      'a prompt that is no number beside a total',
      {
        prompt_tokens: null,
        completion_tokens: 10,
        total_tokens: 1_010,
        prompt_tokens_details: { cached_tokens: 900 },
      },
      100,
      10,
      900,
    ],
  ])('%s', (_name, usage, input, output, cached) => {
    expect(openaiUsage(usage)).toMatchObject({ input_tokens: input, output_tokens: output });
    expect(openaiUsage(usage).cache_read_input_tokens).toBe(cached);
  });

  it('separates cache writes from the prompt, whether they are included or not', () => {
    const written = { prompt_tokens_details: { cached_tokens: 400, cache_creation_input_tokens: 100 } };
    const within = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010, ...written };
    const counts = { cache_read_input_tokens: 400, cache_creation_input_tokens: 100, output_tokens: 10 };
    expect(openaiUsage(within)).toEqual({ ...counts, input_tokens: 500 });
    expect(openaiUsage({ ...within, total_tokens: 1_110 })).toEqual({ ...counts, input_tokens: 600 });
  });
});

describe('calls with pieces in unusual order', () => {
  const headers = [
    call(0, { id: 'a', function: { name: 'one', arguments: '' } }),
    call(1, { id: 'b', function: { name: 'two', arguments: '' } }),
  ];
  it.each<[string, object[], unknown[]]>([
    [
      'all headers first',
      [...headers, call(0, { function: { arguments: '{"x":1}' } }), call(1, { function: { arguments: '{"y":2}' } })],
      [{ x: 1 }, { y: 2 }],
    ],
    [
      'text after the header',
      [headers[0]!, delta({ content: 'hm' }), call(0, { function: { arguments: '{"x":1}' } })],
      [{ x: 1 }],
    ],
    [
      'reasoning in the middle',
      [
        headers[0]!,
        call(0, { function: { arguments: '{"x"' } }),
        delta({ reasoning_content: 'hm' }),
        call(0, { function: { arguments: ':1}' } }),
      ],
      [{ x: 1 }],
    ],
    [
      'neither id nor index',
      [
        call(undefined, { function: { name: 'one', arguments: '{"x":1}' } }),
        call(undefined, { function: { name: 'two', arguments: '{"y":2}' } }),
      ],
      [{ x: 1 }, { y: 2 }],
    ],
  ])('%s', async (_name, chunks, inputs) => {
    const events = await decode([...chunks, delta({}, 'tool_calls')]);
    expect(summarize(events).tools.map(({ input }) => input)).toEqual(inputs);
  });
});

describe('a conversation from other models', () => {
  it('has merged turns, and nothing between a call and its results', () => {
    const { messages } = encode({
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'y', input: {} }] },
        { role: 'system', content: 'Mind this' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: '2' }] },
      ],
    }) as { messages: { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'system']);
  });

  it('has a user message, which prompt templates of Qwen require', () => {
    const content: Block[] = [{ type: 'tool_use', id: 'a', name: 'x', input: {} }];
    const { messages } = encode({ system: 'Be kind.', messages: [{ role: 'assistant', content }] }) as {
      messages: { role: string }[];
    };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('has a reasoning field on every call if the provider requires it', () => {
    const content: Block[] = [{ type: 'tool_use', id: 'a', name: 'x', input: {} }];
    const { messages } = encode(
      { messages: [{ role: 'assistant', content }] },
      { reasoning_history: 'reasoning_content' },
    );
    expect(messages).toMatchObject([{ role: 'user' }, { reasoning_content: ' ' }, { role: 'tool' }]);
  });

  it('has a reasoning field on texts as well if the model may call tools', () => {
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Hello' },
      { role: 'user' as const, content: 'Look' },
    ];
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const quirks = { reasoning_history: 'reasoning_content' as const };
    expect(encode({ messages, tools }, quirks)['messages']).toMatchObject([{}, { reasoning_content: ' ' }, {}]);
    expect(encode({ messages }, quirks)['messages']).toEqual(messages);
  });

  it.each([
    ['also with disabled thinking, of a model that still thinks', {}, ' '],
    ['but not if thinking can be disabled', { reasoning_request: 'thinking_type' as const }, undefined],
  ])('has a reasoning field %s', (_when, quirks, expected) => {
    const content: Block[] = [{ type: 'tool_use', id: 'a', name: 'x', input: {} }];
    const off = { messages: [{ role: 'assistant' as const, content }], thinking: { type: 'disabled' } };
    const { messages } = encode(off, { reasoning_history: 'reasoning_content', ...quirks }) as {
      messages: { reasoning_content?: string }[];
    };
    expect(messages[1]!.reasoning_content).toBe(expected);
  });
});
