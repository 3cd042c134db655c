/** The first tokens of a character such as an emoji arrive with probabilities, but without text. */

import { describe, expect, it } from 'vitest';
import type { MessagesEvent } from '../../lambdas/messages/types.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { openaiResponsesWire } from '../../lambdas/providers/openai-responses/wire.ts';

const likely = (token: string) => ({ token, logprob: -1, bytes: [1] });
const asTold = (token: string) => ({ ...likely(token), top_logprobs: [] });

const context = {
  target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [], logprobs: true },
  estimatedInputTokens: 1,
};

type Wire = Pick<typeof openaiChatWire, 'decode'>;

async function textDeltas(wire: Wire, events: object[]) {
  async function* body(): AsyncGenerator<Buffer> {
    for (const event of events) yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
  const written: MessagesEvent[] = [];
  for await (const batch of wire.decode(body(), context)) written.push(...batch.events.map(({ data }) => data));
  return written.flatMap((event) =>
    event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? [event.delta] : [],
  );
}

const chatChunk = (delta: object, token?: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish, logprobs: token ? { content: [likely(token)] } : null }],
});
const responsesDelta = (delta: string, token: string) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta,
  logprobs: [likely(token)],
});

const streams: [string, Wire, (pieces: [string, string][]) => object[]][] = [
  [
    'chat completions',
    openaiChatWire,
    (pieces) => [...pieces.map(([content, token]) => chatChunk({ content }, token)), chatChunk({}, undefined, 'stop')],
  ],
  [
    'Responses',
    openaiResponsesWire,
    (pieces) => [
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } },
      ...pieces.map(([delta, token]) => responsesDelta(delta, token)),
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [] } },
      { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 1, output_tokens: 3 } } },
    ],
  ],
];

describe.each(streams)('probabilities without text on %s', (_, wire, stream) => {
  it('come with the next text', async () => {
    expect(
      await textDeltas(
        wire,
        stream([
          ['', 'a'],
          ['', 'b'],
          ['🙂', 'c'],
        ]),
      ),
    ).toEqual([{ type: 'text_delta', text: '🙂', logprobs: ['a', 'b', 'c'].map(asTold) }]);
  });

  it('come after the last text if no text follows', async () => {
    expect(
      await textDeltas(
        wire,
        stream([
          ['Hi', 'a'],
          ['', 'b'],
        ]),
      ),
    ).toEqual([
      { type: 'text_delta', text: 'Hi', logprobs: [asTold('a')] },
      { type: 'text_delta', text: '', logprobs: [asTold('b')] },
    ]);
  });
});

it('probabilities of a call are not those of a text', async () => {
  const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{}' } }] };
  const deltas = await textDeltas(openaiChatWire, [
    chatChunk({ content: 'Hi' }, 'a'),
    chatChunk({ content: '', ...call }, 'b'),
    chatChunk({}, undefined, 'tool_calls'),
  ]);

  expect(deltas).toEqual([{ type: 'text_delta', text: 'Hi', logprobs: [asTold('a')] }]);
});
