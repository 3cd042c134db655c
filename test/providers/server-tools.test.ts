import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Block, Message } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const target = {
  providerId: 'p',
  upstreamModel: 'm',
  maxOutputTokens: 100,
  supportedParameters: ['tools'],
  quirks: {},
};
const look = { name: 'look', input_schema: { type: 'object' } };
const sent = (wire: MessagesWireName, messages: Message[], tools: object[] = [look], quirks: object = {}) =>
  messagesWire(wire)!.encode({ model: 'm', messages, tools } as never, { ...target, quirks }, client).body;

const calls: Block[] = [
  { type: 'server_tool_use', id: 's1', name: 'web_fetch', input: { url: 'https://a.example' } },
  {
    type: 'web_fetch_tool_result',
    tool_use_id: 's1',
    content: {
      type: 'web_fetch_result',
      content: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The tower is red.' } },
    },
  },
  { type: 'server_tool_use', id: 's2', name: 'bash_code_execution', input: { command: 'ls' } },
  {
    type: 'bash_code_execution_tool_result',
    tool_use_id: 's2',
    content: { stdout: 'a.txt', encrypted_stdout: 'SECRET', content: [{ file_id: 'file_1' }] },
  },
  { type: 'mcp_tool_use', id: 'm1', name: 'ask', server_name: 'x', input: {} },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'm1',
    content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0' } }],
  },
];

describe('tools that a provider ran itself', () => {
  it.each<[MessagesWireName, object]>([
    ['openai-chat', {}],
    ['openai-responses', {}],
    ['google-gemini', {}],
    ['bedrock-converse', {}],
    ['anthropic', { own_signatures: true }],
    ['anthropic', { envelope: 'bedrock-invoke' }],
    ['anthropic', { envelope: 'vertex-predict' }],
  ])('are texts of the user on the wire %s with the quirks %j', (wire, quirks) => {
    const messages: Message[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [...calls, { type: 'text', text: 'It is red.' }] },
      { role: 'user', content: 'Go on.' },
    ];
    const body = sent(wire, messages, [look], quirks);

    for (const text of ['web_fetch: ', 'The tower is red.', 'bash_code_execution: ', 'a.txt', 'ask: '])
      expect(body).toContain(text);
    for (const hidden of ['SECRET', 'file_1', 'JVBERi0']) expect(body).not.toContain(hidden);
    expect(body.indexOf('It is red.')).toBeLessThan(body.indexOf('Tools that the assistant used'));
    expect(body.indexOf('a.txt')).toBeLessThan(body.indexOf('Go on.'));
  });

  it('are texts at Anthropic only if they belong to the advisor', () => {
    const advice: Block[] = [
      { type: 'server_tool_use', id: 's3', name: 'advisor', input: {} },
      { type: 'advisor_tool_result', tool_use_id: 's3', content: { type: 'advisor_result', text: 'Look twice.' } },
    ];
    const messages: Message[] = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [...calls, ...advice, { type: 'text', text: 'It is red.' }] },
      { role: 'user', content: 'Go on.' },
    ];
    const { messages: read } = JSON.parse(sent('anthropic', messages, [look], { own_service: true })) as {
      messages: Message[];
    };

    expect(read[1]!.content).toEqual([...calls, { type: 'text', text: 'It is red.' }]);
    expect(JSON.stringify(read[2]!.content)).toMatch(/advisor: .*Look twice.*Go on/);
  });

  it('may be the whole of a message, also of the last, and stand between a call and its result', () => {
    const { messages } = JSON.parse(
      sent('openai-chat', [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [...calls, { type: 'tool_use', id: 't1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'Seen.' },
            { type: 'text', text: 'Go on.' },
          ],
        },
        { role: 'assistant', content: calls },
      ]),
    ) as { messages: { role: string; content: unknown }[] };

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'user']);
    expect(messages.map(({ content }) => content)).toMatchObject({ 2: 'Seen.', 4: 'I have the results.' });
  });

  it('offer the tools that a search has found', () => {
    const found = {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'look' }],
    };
    const body = sent(
      'openai-chat',
      [
        { role: 'user', content: 'Look.' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's1', name: 'tool_search_tool_regex', input: { query: 'look' } },
            { type: 'tool_search_tool_result', tool_use_id: 's1', content: found },
            { type: 'text', text: 'Found.' },
          ],
        },
        { role: 'user', content: 'Go on.' },
      ],
      [
        { ...look, defer_loading: true },
        { ...look, name: 'other', defer_loading: true },
      ],
    );

    const { tools } = JSON.parse(body) as { tools: { function: { name: string } }[] };
    expect(tools.map((tool) => tool.function.name)).toEqual(['look']);
  });
});

it('results of tools that a provider ran itself never become part of a system message', () => {
  const messages = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: calls },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go on.' },
  ] as Message[];
  const quirks = { later_system_messages: true } as never;
  const wire = messagesWire('openai-chat')!;
  const { body } = wire.encode({ model: 'm', messages, tools: [look] }, { ...target, quirks }, client);
  const read = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  const said = read.messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);

  expect(said.filter((one) => one.includes('The tower is red.')).map((one) => one.split(':')[0])).toEqual(['user']);
});
