import { describe, expect, it } from 'vitest';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { callsIn, png, said, sent, weather } from '../support/chat-request.ts';

const withResult = (content: Block[], more: object = {}): Partial<MessagesRequest> => ({
  messages: [
    ...said,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content, ...more }] },
  ],
});
const resultOf = (more: Partial<MessagesRequest>) =>
  (sent(more, { tool_result_parts: true })['messages'] as { content: unknown }[]).slice(2);

describe('an image in a tool result', () => {
  const part = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAA' } };

  it('stays in the result if the provider accepts that', () => {
    expect(resultOf(withResult([{ type: 'text', text: 'Here' }, png]))).toEqual([
      { role: 'tool', tool_call_id: 't', content: [{ type: 'text', text: 'Here' }, part] },
    ]);
  });

  it('may be the only content', () => {
    expect(resultOf(withResult([png]))).toEqual([{ role: 'tool', tool_call_id: 't', content: [part] }]);
  });

  it('is marked as belonging to an error', () => {
    expect(resultOf(withResult([png], { is_error: true }))).toEqual([
      { role: 'tool', tool_call_id: 't', content: [{ type: 'text', text: 'Error: ' }, part] },
    ]);
  });
});

const namesIn = (body: Record<string, unknown>) =>
  [...JSON.stringify(body).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);

describe('a tool with a name that the provider refuses', () => {
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

  it('has one name of at most 64 characters everywhere, and other tools keep theirs', () => {
    const [inHistory, declared, other, chosen] = namesIn(sent(conversation));

    expect(declared).toMatch(/^t_mcp__a+_[0-9a-f]{8}$/);
    expect(declared!.length).toBeLessThanOrEqual(64);
    expect([inHistory, chosen, other]).toEqual([declared, declared, 'weather']);
  });

  it('has a name that begins with a letter if the provider requires this', () => {
    const tools = [{ ...weather, name: '21st_look' }, weather];

    expect(namesIn(sent({ tools }, { tool_names_begin_with_letter: true }))).toEqual([
      expect.stringMatching(/^t_21st_look_[0-9a-f]{8}$/),
      'weather',
    ]);
    expect(namesIn(sent({ tools }))).toEqual(['21st_look', 'weather']);
  });

  it('is returned with the name from the client', async () => {
    const request: MessagesRequest = { model: 'a/b', messages: said, ...conversation };
    const [, declared] = namesIn(sent(conversation));
    const call = { id: 'c1', index: 0, function: { name: declared, arguments: '{}' } };
    const chunk = { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };

    expect(await callsIn(request, chunk)).toEqual([{ id: 'c1', name: long }]);
  });
});

const chunkOf = (...ids: string[]) => ({
  choices: [
    {
      delta: { tool_calls: ids.map((id, index) => ({ index, id, function: { name: 'weather', arguments: '{}' } })) },
      finish_reason: 'tool_calls',
    },
  ],
});
const turn = (id: string, name: string): MessagesRequest['messages'] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
];

describe('ids of tool calls', () => {
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
    [
      'are written in other characters if clients refuse them',
      { model: 'a/b', messages: said },
      ['functions.weather:0'],
      ['toolu_gw1_ZnVuY3Rpb25zLndlYXRoZXI6MA'],
    ],
    ['are new if the conversation already has one', earlier, ['call_0', 'call_1'], [made, 'call_1']],
    [
      'are new if two calls of an answer share one',
      { model: 'a/b', messages: said },
      ['call_0', 'call_0'],
      ['call_0', made],
    ],
  ])('%s', async (_what, request, ids, expected) => {
    const calls = (await callsIn(request, chunkOf(...ids))) as { id: string }[];

    expect(calls.map(({ id }) => id)).toEqual(expected);
  });

  it('are sent back as name and position if the provider counts calls', () => {
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
