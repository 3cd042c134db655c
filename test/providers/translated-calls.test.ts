/** Names and ids of calls on every wire, in both directions. */

import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { packFrame } from '../support/event-stream.ts';
import { lowestThreadCpuMs } from '../support/thread-cost.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const target = {
  providerId: 'acme',
  upstreamModel: 'm',
  maxOutputTokens: 1_000,
  supportedParameters: ['tools'],
  quirks: {},
};
const quirksOf = (wire: MessagesWireName): Quirks =>
  wire === 'bedrock-converse' ? ({ family: 'claude' } as Quirks) : {};

const answers: Partial<Record<MessagesWireName, (id: string, name: string) => Buffer>> = {
  'openai-chat': (id, name) =>
    sse({
      choices: [
        {
          delta: { tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }),
  'openai-responses': (id, name) => {
    const item = { type: 'function_call', call_id: id, name, arguments: '{}' };
    return Buffer.concat([
      sse({ type: 'response.output_item.done', output_index: 0, item }),
      sse({ type: 'response.completed', response: { status: 'completed', output: [item] } }),
    ]);
  },
  'google-gemini': (id, name) =>
    sse({ candidates: [{ content: { parts: [{ functionCall: { id, name, args: {} } }] }, finishReason: 'STOP' }] }),
  'bedrock-converse': (id, name) =>
    Buffer.concat([
      packFrame(
        'contentBlockStart',
        JSON.stringify({ contentBlockIndex: 0, start: { toolUse: { toolUseId: id, name } } }),
      ),
      packFrame('contentBlockDelta', JSON.stringify({ contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } })),
      packFrame('contentBlockStop', JSON.stringify({ contentBlockIndex: 0 })),
      packFrame('messageStop', JSON.stringify({ stopReason: 'tool_use' })),
      packFrame('metadata', JSON.stringify({ usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } })),
    ]),
};
const translated = Object.keys(answers) as MessagesWireName[];

const start = { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage: {} } };
const block = (index: number, id: string, name: string) => [
  { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
  { type: 'content_block_stop', index },
];
answers.anthropic = (id, name) => Buffer.concat([start, ...block(0, id, name), ...block(1, id, name)].map(sse));

function sse(event: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
}

const weather = { name: 'weather', input_schema: { type: 'object', properties: {} } };
const question: MessagesRequest['messages'] = [{ role: 'user', content: 'Hi' }];
const calling = (id: string, name: string): MessagesRequest['messages'] => [
  ...question,
  { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
];

const bodyOf = (wire: MessagesWireName, request: MessagesRequest) =>
  messagesWire(wire)!.encode(request, { ...target, quirks: quirksOf(wire) }, client).body;

async function callsIn(wire: MessagesWireName, request: MessagesRequest, id: string, name: string): Promise<Block[]> {
  async function* body() {
    yield await Promise.resolve(answers[wire]!(id, name));
  }
  const context = { target: { ...target, quirks: quirksOf(wire) }, request, estimatedInputTokens: 1 };
  const calls: Block[] = [];
  try {
    for await (const { events } of messagesWire(wire)!.decode(body(), context)) {
      for (const { data } of events) if (data.type === 'content_block_start') calls.push(data.content_block);
    }
  } catch (error) {
    // Only the calls matter here, so the answers are incomplete.
    if (calls.length === 0) throw error;
  }
  return calls;
}

async function callIn(...answer: Parameters<typeof callsIn>): Promise<Block> {
  return (await callsIn(...answer))[0]!;
}

const namesIn = (body: string) =>
  [...body.matchAll(/"(?:name|allowedFunctionNames)":\[?"([^"]+)"/g)].map(([, name]) => name!);

describe.each(translated)('a tool over %s', (wire) => {
  // The Messages API allows 128 characters, these APIs 64, and Google no leading digit.
  const names = [`mcp__${'a'.repeat(123)}`, `9${'b'.repeat(9)}`];

  it.each(names)('has one name that the API accepts, and is returned under the client’s name: %s', async (name) => {
    const request: MessagesRequest = {
      model: 'a/b',
      messages: calling('toolu_1', name),
      tools: [{ ...weather, name }, weather],
      tool_choice: { type: 'tool', name },
    };
    const sent = namesIn(bodyOf(wire, request)).filter((one) => one !== 'weather');

    expect(new Set(sent).size).toBe(1);
    expect(sent[0]).toMatch(wire === 'google-gemini' ? /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/ : /^[a-zA-Z0-9_-]{1,64}$/);
    expect(await callIn(wire, request, 'call_1', sent[0]!)).toMatchObject({ name });
  });

  it('called by an unknown and invalid name is sent back under another name', () => {
    const request: MessagesRequest = {
      model: 'a/b',
      messages: calling('toolu_1', 'weather.look up'),
      tools: [weather],
    };
    expect(bodyOf(wire, request)).not.toContain('weather.look up');
  });
});

describe.each([...translated, 'anthropic' as const])('a call over %s', (wire) => {
  it('has an id that no other call of the conversation has', async () => {
    const request: MessagesRequest = { model: 'a/b', messages: calling('call_0', 'weather'), tools: [weather] };

    expect(await callIn(wire, request, 'call_0', 'weather')).toMatchObject({
      id: expect.stringMatching(/^toolu_[0-9a-f]{32}$/) as unknown,
    });
    expect(await callIn(wire, request, 'call_1', 'weather')).toMatchObject({ id: 'call_1' });
  });
});

describe('calls in one answer of a service with the Messages API', () => {
  const request: MessagesRequest = { model: 'a/b', messages: question, tools: [weather] };
  const idsOf = async (id: string) => (await callsIn('anthropic', request, id, 'weather')).map((call) => call['id']);

  it('have different ids, although the service repeats one', async () => {
    expect(await idsOf('call_0')).toEqual(['call_0', expect.stringMatching(/^toolu_[0-9a-f]{32}$/)]);
  });

  it.each([[''], [null], [undefined]])('have ids, although the service sends none: %j', async (none) => {
    const ids = await idsOf(none as string);
    expect(ids).toEqual([expect.stringMatching(/^toolu_[0-9a-f]{32}$/), expect.stringMatching(/^toolu_[0-9a-f]{32}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('have texts as ids, although the service sends numbers', async () => {
    expect((await idsOf(0 as unknown as string))[0]).toBe('0');
  });

  it('have ids with the characters that clients accept', async () => {
    expect((await idsOf('functions.weather:0'))[0]).toMatch(/^toolu_gw1_[a-zA-Z0-9_-]+$/);
  });
});

/** About as many calls and results as a body has room for, if each has its own message. */
const indexes = Array.from({ length: 6_000 }, (_, index) => index);
const callOf = (id: string): Block => ({ type: 'tool_use', id, name: 'weather', input: {} });
const resultOf = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const allCalls: MessagesRequest['messages'][number] = {
  role: 'assistant',
  content: indexes.map((index) => callOf(`c${index}`)),
};
const MAX_CPU_MS = 1_000;

describe.each(translated)('thousands of calls over %s', (wire) => {
  it.each<[string, MessagesRequest['messages']]>([
    ['with one id, in as many turns', indexes.flatMap(() => calling('call_0', 'weather').slice(1))],
    [
      'with one id, in one turn',
      [
        { role: 'assistant', content: indexes.map(() => callOf('call_0')) },
        { role: 'user', content: indexes.map(() => resultOf('call_0')) },
      ],
    ],
    [
      'with results in reverse order',
      [allCalls, { role: 'user', content: indexes.map((index) => resultOf(`c${index}`)).toReversed() }],
    ],
    [
      'with results in as many messages',
      [allCalls, ...indexes.map((index) => ({ role: 'user' as const, content: [resultOf(`c${index}`)] }))],
    ],
  ])('take linear time %s', async (_, messages) => {
    const request: MessagesRequest = { model: 'a/b', messages: [...question, ...messages], tools: [weather] };

    expect(await lowestThreadCpuMs(() => bodyOf(wire, request), MAX_CPU_MS)).toBeLessThan(MAX_CPU_MS);
  });
});
