/** Tests of the names and ids of calls on every translated wire, in both directions. */

import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { packFrame } from '../support/event-stream.ts';

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

/** Functions that return an answer with one call, as each wire writes it. */
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

async function callIn(wire: MessagesWireName, request: MessagesRequest, id: string, name: string): Promise<Block> {
  async function* body() {
    yield await Promise.resolve(answers[wire]!(id, name));
  }
  const context = { target: { ...target, quirks: quirksOf(wire) }, request, estimatedInputTokens: 1 };
  for await (const { events } of messagesWire(wire)!.decode(body(), context)) {
    for (const { data } of events) if (data.type === 'content_block_start') return data.content_block;
  }
  throw new Error('there is no call in the answer');
}

const namesIn = (body: string) =>
  [...body.matchAll(/"(?:name|allowedFunctionNames)":\[?"([^"]+)"/g)].map(([, name]) => name!);

describe.each(translated)('a tool over %s', (wire) => {
  // The Messages API allows 128 characters. These APIs allow 64, and Google allows no leading digit.
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

  it('is called with an id that no other call of the conversation has', async () => {
    const request: MessagesRequest = { model: 'a/b', messages: calling('call_0', 'weather'), tools: [weather] };

    expect(await callIn(wire, request, 'call_0', 'weather')).toMatchObject({
      id: expect.stringMatching(/^toolu_[0-9a-f]{32}$/) as unknown,
    });
    expect(await callIn(wire, request, 'call_1', 'weather')).toMatchObject({ id: 'call_1' });
  });
});
