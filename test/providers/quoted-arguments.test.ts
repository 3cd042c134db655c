import { describe, expect, it } from 'vitest';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';

const context = {
  target: { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 100, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [] },
  estimatedInputTokens: 1,
};

async function argumentsOf(...pieces: { index: number; id?: string; text: string }[]) {
  const chunks = pieces.map(({ index, id, text }) => ({
    choices: [{ delta: { tool_calls: [{ index, id, function: { name: id && 'look', arguments: text } }] } }],
  }));
  const end = { choices: [{ delta: {}, finish_reason: 'tool_calls' }] };
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(
      Buffer.from([...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')),
    );
  }
  const assembler = new MessageAssembler();
  const texts: string[] = [];
  for await (const { events } of openaiChatWire.decode(body(), context)) {
    for (const { data } of events) {
      assembler.add(data);
      if (data.type === 'content_block_start') texts.push('');
      if (data.type === 'content_block_delta')
        texts[texts.length - 1] += (data['delta'] as { partial_json?: string }).partial_json ?? '';
    }
  }
  expect(assembler.finish()!.content).toHaveLength(texts.length);
  return texts;
}

describe('arguments of a call that are an object in a text', () => {
  const object = '{"at":"a \\"b\\"","n":9007199254740993}';
  const quoted = JSON.stringify(object);

  it('become the object, cut anywhere', async () => {
    for (let at = 0; at <= quoted.length; at += 1) {
      const first = { index: 0, id: 'a', text: quoted.slice(0, at) };
      expect(await argumentsOf(first, { index: 0, text: quoted.slice(at) })).toEqual([object]);
    }
  });

  it('become the object in each of several calls', async () => {
    expect(
      await argumentsOf(
        { index: 0, id: 'a', text: quoted.slice(0, 5) },
        { index: 1, id: 'b', text: quoted },
        { index: 0, text: quoted.slice(5) },
        { index: 2, id: 'c', text: '{"plain":1}' },
      ),
    ).toEqual([object, object, '{"plain":1}']);
  });

  it.each(['"look"', '"[1]"', '"{"', '"{\\"at\\":'])(
    'stay as they are if there is no object in it: %s',
    async (text) => {
      expect(await argumentsOf({ index: 0, id: 'a', text })).toEqual([text]);
    },
  );
});
