import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/wires.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const weather = { name: 'weather', input_schema: { type: 'object', properties: { at: { type: 'string' } } } };
const said = [{ role: 'user' as const, content: 'Hi' }];
const png: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAA' } };

const targetOf = (more: Partial<WireTarget<OpenaiChatQuirks>> = {}): WireTarget<OpenaiChatQuirks> => ({
  providerId: 'test',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters: ['tools', 'tool_choice', 'stop', 'reasoning', 'response_format'],
  quirks: {},
  ...more,
});

function sentTo(target: WireTarget<OpenaiChatQuirks>, more: Partial<MessagesRequest>): Record<string, unknown> {
  const request: MessagesRequest = { model: 'a/b', messages: said, ...more };
  return JSON.parse(openaiChatWire.encode(request, target, client).body) as Record<string, unknown>;
}

const sent = (more: Partial<MessagesRequest>, quirks: OpenaiChatQuirks = {}) => sentTo(targetOf({ quirks }), more);

describe('what an endpoint does not take is refused by name', () => {
  it.each<[string, Partial<MessagesRequest>, Partial<WireTarget<OpenaiChatQuirks>>]>([
    ['tools: ', { tools: [weather] }, { supportedParameters: [] }],
    [
      'tool_choice.type: ',
      { tools: [weather], tool_choice: { type: 'any' } },
      { quirks: { tool_choices: ['auto', 'tool', 'none'] } },
    ],
    [
      'tool_choice.type: ',
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather' } },
      { quirks: { tool_choices: ['any', 'none'] } },
    ],
    [
      'tool_choice.disable_parallel_tool_use: ',
      { tools: [weather], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { quirks: { parallel_tool_calls: false } },
    ],
    ['stop_sequences: may have at most 1', { stop_sequences: ['a', 'b'] }, { quirks: { max_stop_sequences: 1 } }],
    ['messages.0.content.0.type: ', { messages: [{ role: 'user', content: [png] }] }, { inputModalities: ['text'] }],
    [
      'messages.2.content.0.content.0.type: ',
      {
        messages: [
          ...said,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [png] }] },
        ],
      },
      { inputModalities: ['text'] },
    ],
  ])('%s', (message, request, target) => {
    expect(() => sentTo(targetOf(target), request)).toThrow(message);
  });

  it('and only that: as many stop sequences as it takes are sent', () => {
    expect(sent({ stop_sequences: ['a', 'b'] }, { max_stop_sequences: 2 })).toMatchObject({ stop: ['a', 'b'] });
  });
});

describe('a choice that the provider has no word for', () => {
  it('is left out where it happens anyway', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'auto' } }, { tool_choices: ['any', 'none'] });

    expect(body).toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  it('takes the tools with it where none may be called', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'none' } }, { tool_choices: ['auto'] });

    expect(Object.keys(body).filter((field) => field.includes('tool'))).toEqual([]);
  });
});

describe('how thinking is asked for', () => {
  type Asked = Partial<Pick<MessagesRequest, 'thinking' | 'output_config'>>;
  const off: Asked = { thinking: { type: 'disabled' } };
  const adaptive: Asked = { thinking: { type: 'adaptive' } };
  const budget = (tokens: number): Asked => ({ thinking: { type: 'enabled', budget_tokens: tokens } });
  const effort = (name: string): Asked => ({ output_config: { effort: name } });
  const effortOf = (...names: OpenaiChatQuirks['reasoning_efforts'] & object): OpenaiChatQuirks => ({
    reasoning_request: 'reasoning_effort',
    reasoning_efforts: names,
  });

  it.each<[string, Asked, OpenaiChatQuirks, object]>([
    ['the effort asked for', effort('medium'), effortOf('low', 'medium', 'high'), { reasoning_effort: 'medium' }],
    ['the next one below it', effort('max'), effortOf('low', 'high'), { reasoning_effort: 'high' }],
    ['the least that there is', effort('low'), effortOf('high', 'max'), { reasoning_effort: 'high' }],
    ['none', off, effortOf('none', 'low'), { reasoning_effort: 'none' }],
    ['as little as it can', off, effortOf('minimal', 'low'), { reasoning_effort: 'minimal' }],
    [
      'some, of a model that may not think',
      adaptive,
      effortOf('none', 'low', 'medium'),
      { reasoning_effort: 'medium' },
    ],
    ['what it does anyway', adaptive, effortOf('low', 'medium'), {}],
    ['nothing more, of a model that can only stop', effort('high'), effortOf('none'), {}],
    ['a switch', adaptive, { reasoning_request: 'reasoning_enabled' }, { reasoning: { enabled: true } }],
    [
      'a switch and an effort',
      { ...adaptive, ...effort('xhigh') },
      { reasoning_request: 'reasoning_enabled', reasoning_efforts: ['high', 'max'] },
      { reasoning: { enabled: true }, reasoning_effort: 'high' },
    ],
    [
      'an object that switches it off',
      off,
      { reasoning_request: 'reasoning_object' },
      { reasoning: { enabled: false } },
    ],
    [
      'an object with a budget',
      budget(5_000),
      { reasoning_request: 'reasoning_object' },
      { reasoning: { max_tokens: 5_000 } },
    ],
    [
      'an object with an effort',
      effort('low'),
      { reasoning_request: 'reasoning_object' },
      { reasoning: { effort: 'low' } },
    ],
    [
      'a type and an effort',
      { ...adaptive, ...effort('low') },
      { reasoning_request: 'thinking_type', reasoning_efforts: ['high', 'max'] },
      { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    ],
    [
      'a type alone when it is off',
      { ...off, ...effort('high') },
      { reasoning_request: 'thinking_type', reasoning_efforts: ['high', 'max'] },
      { thinking: { type: 'disabled' } },
    ],
    ['to keep it apart', {}, { reasoning_format: 'parsed' }, { reasoning_format: 'parsed' }],
  ])('%s', (_what, asked, quirks, fields) => {
    const { thinking, reasoning, reasoning_effort: sentEffort, reasoning_format: format } = sent(asked, quirks);

    expect(
      JSON.parse(JSON.stringify({ thinking, reasoning, reasoning_effort: sentEffort, reasoning_format: format })),
    ).toEqual(fields);
  });
});

describe('a tool with a name that a provider refuses', () => {
  const long = `mcp__${'a'.repeat(80)}`;
  const conversation: Partial<MessagesRequest> = {
    tools: [{ ...weather, name: long }, weather],
    tool_choice: { type: 'tool', name: long },
    messages: [
      ...said,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: long, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
    ],
  };
  const namesIn = (body: Record<string, unknown>) =>
    [...JSON.stringify(body).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);

  it('goes by one name of at most 64 characters everywhere, and the others keep theirs', () => {
    const [inHistory, declared, other, chosen] = namesIn(sent(conversation));

    expect(declared).toMatch(/^t_mcp__a+_[0-9a-f]{8}$/);
    expect(declared!.length).toBeLessThanOrEqual(64);
    expect([inHistory, chosen, other]).toEqual([declared, declared, 'weather']);
  });

  it('comes back under the name that the client gave it', async () => {
    const request: MessagesRequest = { model: 'a/b', messages: said, ...conversation };
    const [, declared] = namesIn(sent(conversation));
    const call = { id: 'c1', index: 0, function: { name: declared, arguments: '{}' } };
    const chunk = { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };

    expect(await callsIn(request, chunk)).toEqual([{ id: 'c1', name: long }]);
  });
});

/** Id and name of each call in an answer of one chunk. */
async function callsIn(request: MessagesRequest, chunk: object): Promise<unknown[]> {
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
  }
  const calls: unknown[] = [];
  for await (const { events } of openaiChatWire.decode(body(), {
    target: targetOf(),
    request,
    estimatedInputTokens: 1,
  })) {
    for (const { data } of events) {
      if (data.type === 'content_block_start' && data.content_block.type === 'tool_use') {
        calls.push({ id: data.content_block['id'], name: data.content_block['name'] });
      }
    }
  }
  return calls;
}

describe('ids of calls', () => {
  const chunkOf = (...ids: string[]) => ({
    choices: [
      {
        delta: { tool_calls: ids.map((id, index) => ({ index, id, function: { name: 'weather', arguments: '{}' } })) },
        finish_reason: 'tool_calls',
      },
    ],
  });
  const made = expect.stringMatching(/^toolu_[0-9a-f]{32}$/) as unknown;
  const earlier: MessagesRequest = {
    model: 'a/b',
    messages: [
      ...said,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'weather', input: {} }] },
    ],
  };

  it.each<[string, MessagesRequest, string[], unknown[]]>([
    ['are the provider’s own', { model: 'a/b', messages: said }, ['call_0', 'call_1'], ['call_0', 'call_1']],
    ['are new where clients may not have them', { model: 'a/b', messages: said }, ['functions.weather:0'], [made]],
    ['are new where the conversation has one already', earlier, ['call_0', 'call_1'], [made, 'call_1']],
    [
      'are new where two calls of an answer share one',
      { model: 'a/b', messages: said },
      ['call_0', 'call_0'],
      ['call_0', made],
    ],
  ])('%s', async (_what, request, ids, expected) => {
    const calls = (await callsIn(request, chunkOf(...ids))) as { id: string }[];

    expect(calls.map(({ id }) => id)).toEqual(expected);
  });

  it('go back as name and position where the provider counts calls', () => {
    const turn = (id: string, name: string): MessagesRequest['messages'] => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    ];
    const { messages } = sent(
      {
        messages: [...said, ...turn('toolu_a', 'weather'), ...turn('toolu_b', 'clock'), ...turn('toolu_a', 'weather')],
      },
      { tool_call_ids: 'name_and_position' },
    ) as { messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[] };

    const ids = messages.flatMap(({ tool_calls: calls, tool_call_id: id }) => [
      ...(calls ?? []).map((call) => call.id),
      id,
    ]);
    expect(ids.filter(Boolean)).toEqual([
      'functions.weather:0',
      'functions.weather:0',
      'functions.clock:1',
      'functions.clock:1',
      'functions.weather:2',
      'functions.weather:2',
    ]);
  });
});

describe('functions instead of tools', () => {
  const functions: OpenaiChatQuirks = { functions: true, stream_usage: false };

  it('are declared and chosen in words of their own', () => {
    const body = sent(
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
      functions,
    );

    expect(body).toMatchObject({
      functions: [{ name: 'weather', parameters: weather.input_schema }],
      function_call: { name: 'weather' },
    });
    expect(Object.keys(body).filter((field) => field.includes('tool'))).toEqual([]);
  });

  it.each([['auto'], ['none']] as const)('may be left to the model: %s', (type) => {
    expect(sent({ tools: [weather], tool_choice: { type } }, functions)).toMatchObject({ function_call: type });
  });

  it('are called one by one, each with its result behind it, as objects', () => {
    const { messages } = sent(
      {
        messages: [
          ...said,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Both.' },
              { type: 'tool_use', id: 'a', name: 'weather', input: { at: 'Omsk' } },
              { type: 'tool_use', id: 'b', name: 'clock', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'b', content: 'noon' },
              { type: 'tool_result', tool_use_id: 'a', content: '{"degrees": -7}' },
              { type: 'text', text: 'Well?' },
            ],
          },
        ],
      },
      functions,
    );

    expect(messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Both.', function_call: { name: 'weather', arguments: { at: 'Omsk' } } },
      { role: 'function', name: 'weather', content: '{"degrees": -7}' },
      { role: 'assistant', content: '', function_call: { name: 'clock', arguments: {} } },
      { role: 'function', name: 'clock', content: '{"result":"noon"}' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('keep the digits of numbers that no double holds', () => {
    const input = JSON.parse('{"n": 1}') as Record<string, unknown>;
    input['n'] = JSON.rawJSON('9007199254740993');
    const request: MessagesRequest = {
      model: 'a/b',
      messages: [...said, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'count', input }] }],
    };

    expect(openaiChatWire.encode(request, targetOf({ quirks: functions }), client).body).toContain(
      '"n":9007199254740993',
    );
  });

  it('have names that begin with a letter', () => {
    expect(sent({ tools: [{ ...weather, name: '3d_model' }] }, functions)).toMatchObject({
      functions: [{ name: expect.stringMatching(/^t_3d_model_[0-9a-f]{8}$/) as unknown }],
    });
  });

  it('come with a system prompt at the beginning only; later ones are the user’s', () => {
    const { messages } = sent(
      { system: 'Be brief.', messages: [...said, { role: 'system', content: 'Briefer.' }] },
      functions,
    );

    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Briefer.' },
    ]);
  });

  it('come with a schema of the answer without a name', () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

    expect(sent({ output_config: { format: { type: 'json_schema', schema } } }, functions)).toMatchObject({
      response_format: { type: 'json_schema', schema, strict: true },
    });
  });
});
