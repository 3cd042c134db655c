/** A client that does not allow parallel calls gets only the first call of an answer. */

import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { sent, weather } from '../support/chat-request.ts';

const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 9, supportedParameters: ['tools'], quirks: {} };
const single = { tools: [weather], tool_choice: { type: 'auto' as const, disable_parallel_tool_use: true } };

async function callsIn(pieces: object[][], more: Partial<MessagesRequest>): Promise<string[]> {
  const events = [
    ...pieces.map((calls) => ({ choices: [{ delta: { tool_calls: calls } }] })),
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
  ];
  async function* body(): AsyncGenerator<Buffer> {
    for (const event of events) yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
  const request = { model: 'x/y', messages: [], ...more };
  const assembler = new MessageAssembler();
  for await (const { events: batch } of openaiChatWire.decode(body(), { target, request, estimatedInputTokens: 1 })) {
    for (const { data } of batch) assembler.add(data);
  }
  return assembler.finish()!.content.map(({ name, input }) => `${String(name)} ${JSON.stringify(input)}`);
}

const call = (name: string, json: string, more: object) => ({ ...more, function: { name, arguments: json } });
const piece = (json: string, more: object = {}) => ({ ...more, function: { arguments: json } });

describe('calls of a provider without a setting for parallel calls', () => {
  const byIndex = [
    [call('one', '', { index: 0, id: 'a' })],
    [piece('{"n":', { index: 0 }), call('two', '', { index: 1, id: 'b' })],
    [piece('{"n":2}', { index: 1 }), piece('1}', { index: 0 })],
  ];
  const byOrder = [[call('one', '{"n":1}', { id: 'a' })], [call('two', '', { id: 'b' })], [piece('{"n":2}')]];

  it.each([
    ['with an index', byIndex],
    ['without one', byOrder],
  ])('are limited to one if the client disables parallel calls, %s', async (_case, pieces) => {
    expect(await callsIn(pieces, single)).toEqual(['one {"n":1}']);
    expect(await callsIn(pieces, {})).toEqual(['one {"n":1}', 'two {"n":2}']);
  });

  it('are limited without parallel_tool_calls in the request, which other providers get', () => {
    expect(sent(single, { parallel_tool_calls: false })).not.toHaveProperty('parallel_tool_calls');
    expect(sent(single)).toMatchObject({ parallel_tool_calls: false });
  });
});
