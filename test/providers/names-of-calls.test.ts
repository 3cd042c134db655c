import { describe, expect, it } from 'vitest';
import { shortToolName } from '../../lambdas/messages/tool-names.ts';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { ClientCalls } from '../../lambdas/providers/translated/client-calls.ts';

const calls = (...names: string[]) =>
  new ClientCalls({ model: 'm', messages: [], tools: names.map((name) => ({ name, input_schema: {} })) }, 'any');

describe('the name of a call', () => {
  it.each([
    'look',
    'functions.look',
    'default_api.look',
    'default_api:look',
    'functions.look:0',
    'look<|channel|>commentary',
    'functions.look<|channel|>json',
    // https://github.com/anomalyco/opencode/issues/24924
    ' look',
    'look\n',
  ])('%s is that of the declared tool', (sent) => {
    expect(calls('look').nameOf(sent)).toBe('look');
  });

  it('is the client’s name if the provider got a derived name', () => {
    const own = 'files.read';
    const sent = shortToolName(own);

    expect(calls(own).nameOf(sent)).toBe(own);
    expect(calls(own).nameOf(`default_api.${sent}`)).toBe(own);
  });

  it.each(['functions.other', 'other', 'look2', 'look.functions'])(
    '%s is unchanged if no tool has the name without the addition',
    (sent) => {
      expect(calls('look').nameOf(sent)).toBe(sent);
    },
  );

  it('is unchanged if a tool has exactly this name', () => {
    expect(calls('look', 'functions.look').nameOf('functions.look')).toBe('functions.look');
  });
});

describe('a name of 65 characters', () => {
  const own = 'mcp__'.padEnd(65, 'x');
  const request = {
    model: 'anthropic/claude',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hi' }],
    tools: [{ name: own, input_schema: { type: 'object' } }],
  };
  const plain = { providerId: 'p', upstreamModel: 'claude', maxOutputTokens: 1000, supportedParameters: [] };

  it.each([
    ['none', own],
    ['vertex-predict', own],
    ['bedrock-invoke', shortToolName(own)],
  ] as const)('is sent to Claude in the envelope %s as %s and comes back', (envelope, sent) => {
    const target = { ...plain, quirks: { envelope } };
    const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
    const body = JSON.parse(anthropicWire.encode(request, target, client).body) as typeof request;

    const content = [{ type: 'tool_use', id: 't1', name: sent, input: {} }];
    const whole = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content, stop_reason: 'tool_use' };
    const answer = anthropicWire.decodeWhole(
      { ...whole, usage: { input_tokens: 1, output_tokens: 1 } },
      { target, request, estimatedInputTokens: 1 },
    );

    expect(body.tools[0]!.name).toBe(sent);
    expect(answer!.events.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ content_block: { type: 'tool_use', id: 't1', name: own, input: {} } }),
    );
  });
});

const piece = (index: number, name: string | null, json = '', id?: string) => {
  const call = { index, ...(id ? { id } : {}), function: { name, arguments: json } };
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`;
};

describe('a name in pieces', () => {
  const tools = ['read_file', 'look'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const context = {
    target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: [], quirks: {} },
    request: { model: 'm', messages: [], tools },
    estimatedInputTokens: 1,
  };
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\ndata: [DONE]\n\n`;

  async function callsOf(...pieces: string[]) {
    async function* body(): AsyncGenerator<Buffer> {
      for (const one of [...pieces, end]) yield await Promise.resolve(Buffer.from(one));
    }
    const assembler = new MessageAssembler();
    for await (const { events } of openaiChatWire.decode(body(), context)) {
      for (const { data } of events) assembler.add(data);
    }
    return assembler.finish()!.content.map(({ name, input }) => [name, input]);
  }

  it.each<[string, string[], unknown[]]>([
    ['is joined', [piece(0, 'read', '', 'a'), piece(0, '_file'), piece(0, null, '{"a":1}')], [['read_file', { a: 1 }]]],
    ['is joined with the first arguments', [piece(0, 'read_', '', 'a'), piece(0, 'file', '{}')], [['read_file', {}]]],
    ['is joined if the last call has no arguments', [piece(0, 'lo', '', 'a'), piece(0, 'ok')], [['look', {}]]],
    ['is not joined if it is repeated', [piece(0, 'look', '', 'a'), piece(0, 'look', '{}', 'a')], [['look', {}]]],
    ['stays if no tool has it', [piece(0, 'read', '', 'a'), piece(0, 'look', '{}')], [['read', {}]]],
    [
      'stays before another call',
      [piece(0, 'read', '', 'a'), piece(1, 'look', '{}', 'b')],
      [
        ['read', {}],
        ['look', {}],
      ],
    ],
  ])('%s', async (_what, pieces, expected) => {
    expect(await callsOf(...pieces)).toEqual(expected);
  });
});
