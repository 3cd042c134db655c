/** Streams of Responses servers whose events have no output index, or whose open items share one. */

import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import { decodeResponsesStream } from '../../lambdas/providers/openai-responses/decode.ts';
import { ItemPlaces } from '../../lambdas/providers/openai-responses/item-places.ts';

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

const at = (output_index: number, event: object) => ({ ...event, output_index });
const item = (id: string, json: string) => ({ ...call(`call_${id}`, json), id });

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

  it('are one item if its start is repeated', async () => {
    const start = added(call('fc_a', ''));
    expect(
      await contentOf([start, start, args('fc_a', '{"at":1}'), done(call('fc_a', '{"at":1}')), completed]),
    ).toEqual([{ type: 'tool_use', id: 'fc_a', name: 'look', input: { at: 1 } }]);
  });

  it.each([undefined, 0])('may follow a text whose start is missing, with the index %s', async (output_index) => {
    const text = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
    const delta = { type: 'response.output_text.delta', delta: 'Hi' };
    const events = [delta, done(text), done(call('fc_a', '{"at":1}'))].map((event) => ({ ...event, output_index }));
    expect(await contentOf([...events, completed])).toMatchObject([
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'fc_a', input: { at: 1 } },
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

describe('items that share an output index', () => {
  const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Let me look.' }] };

  it.each([
    ['with ids', args('fc_1', '{"at":1}'), 0],
    ['with ids, and ends at another index', args('fc_1', '{"at":1}'), 1],
    ['without ids', { ...args('', '{"at":1}'), item_id: undefined }, 0],
  ])('may be a text and a call in events %s', async (_name, piece, end) => {
    const content = await contentOf([
      at(0, added({ ...message, content: [] })),
      at(0, words('msg_1', 'Let me look.')),
      at(0, added(item('fc_1', ''))),
      at(0, piece),
      at(end, done(message)),
      at(0, done(item('fc_1', '{"at":1}'))),
      completed,
    ]);

    expect(content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'call_fc_1', input: { at: 1 } },
    ]);
    expect(content).toHaveLength(2);
  });

  it('may be parallel calls with ids, before a call with an index of its own', async () => {
    const content = await contentOf([
      at(0, added(item('fc_1', ''))),
      at(0, added(item('fc_2', ''))),
      at(0, added(item('fc_2', ''))),
      at(0, args('fc_1', '{"at":1}')),
      at(0, args('fc_2', '{"at":2}')),
      at(0, done(item('fc_1', '{"at":1}'))),
      at(0, done(item('fc_2', '{"at":2}'))),
      at(1, added(item('fc_3', ''))),
      at(1, args('fc_3', '{"at":3}')),
      at(1, done(item('fc_3', '{"at":3}'))),
      completed,
    ]);

    expect(content).toMatchObject([{ input: { at: 1 } }, { input: { at: 2 } }, { input: { at: 3 } }]);
  });
});

it.each<[string, (count: number) => number]>([
  ['that share an index', () => 0],
  ['with an index of their own', (count) => count],
])('many open items %s are read in linear time', (_name, indexOf) => {
  const places = new ItemPlaces();
  const started = performance.now();
  for (let count = 0; count < 20_000; count += 1) {
    places.of(at(indexOf(count), added({ type: 'web_search_call', id: `ws_${count}` })));
    places.of(at(30_000, done({ type: 'message', id: `msg_${count}` })));
  }
  expect(performance.now() - started).toBeLessThan(2_000);
});
