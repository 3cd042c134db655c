/** Streams of Responses servers whose events have no output index, such as those of llama.cpp. */

import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import { decodeResponsesStream } from '../../lambdas/providers/openai-responses/decode.ts';

const context = {
  target: { providerId: 'acme', upstreamModel: 'up', maxOutputTokens: 1_000, supportedParameters: [], quirks: {} },
  request: { model: 'a/b', messages: [] },
  estimatedInputTokens: 7,
};

async function contentOf(events: object[]) {
  async function* body(): AsyncGenerator<Buffer> {
    for (const event of events) yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
  }
  const assembler = new MessageAssembler();
  for await (const batch of decodeResponsesStream(body(), context)) {
    for (const { data } of batch.events) assembler.add(data);
  }
  return assembler.finish()!.content;
}

const added = (item: object) => ({ type: 'response.output_item.added', item });
const done = (item: object) => ({ type: 'response.output_item.done', item });
const completed = { type: 'response.completed', response: { status: 'completed', usage: null } };
const call = (id: string, json: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: json });
const args = (id: string, delta: string) => ({
  type: 'response.function_call_arguments.delta',
  item_id: id,
  delta,
});
const words = (id: string, delta: string) => ({ type: 'response.output_text.delta', item_id: id, delta });

describe('items without an output index', () => {
  it('are told apart by their ids, even if they are interleaved', async () => {
    const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'So.' }] };
    const content = await contentOf([
      added({ ...message, content: [] }),
      words('msg_1', 'So.'),
      added(call('fc_a', '')),
      added(call('fc_b', '')),
      args('fc_a', '{"at":'),
      args('fc_b', '{"at":'),
      args('fc_a', '1}'),
      args('fc_b', '2}'),
      done(message),
      done(call('fc_a', '{"at":1}')),
      done(call('fc_b', '{"at":2}')),
      completed,
    ]);

    expect(content).toMatchObject([
      { type: 'text', text: 'So.' },
      { type: 'tool_use', id: 'fc_a', input: { at: 1 } },
      { type: 'tool_use', id: 'fc_b', input: { at: 2 } },
    ]);
  });

  it('are complete if only their ends arrive', async () => {
    expect(await contentOf([done(call('fc_a', '{"at":1}')), done(call('fc_b', '{"at":2}')), completed])).toMatchObject([
      { id: 'fc_a', input: { at: 1 } },
      { id: 'fc_b', input: { at: 2 } },
    ]);
  });

  it('are the last item if an event has no id', async () => {
    const plain = { type: 'response.output_text.delta', delta: 'Hi' };
    const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
    expect(await contentOf([added({ type: 'message', content: [] }), plain, done(item), completed])).toMatchObject([
      { type: 'text', text: 'Hi' },
    ]);
  });
});
