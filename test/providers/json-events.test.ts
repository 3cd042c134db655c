import { expect, it } from 'vitest';
import { jsonEvents } from '../../lambdas/providers/http/json-events.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Buffer, void> {
  for (const text of texts) yield Buffer.from(text);
}

it('events are JSON documents, and the end mark of OpenAI’s streams is not an event', async () => {
  const body = chunks('data: {"a":1}\n\ndata: ', '{"a":2}\n\n', 'data: [DONE]\n\n');

  expect(await Array.fromAsync(jsonEvents(body, 1_000))).toEqual([{ a: 1 }, { a: 2 }]);
});

it('the last event may lack the empty line after it', async () => {
  const body = chunks('data: {"a":1}\n\nda', 'ta: {"a":2}');

  expect(await Array.fromAsync(jsonEvents(body, 1_000))).toEqual([{ a: 1 }, { a: 2 }]);
});

it.each(['data: {"a":', 'data: [DONE]', 'data: [DO', ': comment'])(
  'the remainder %j at the end is not an event',
  async (remainder) => {
    const body = chunks(`data: {"a":1}\n\n${remainder}`);

    expect(await Array.fromAsync(jsonEvents(body, 1_000))).toEqual([{ a: 1 }]);
  },
);
