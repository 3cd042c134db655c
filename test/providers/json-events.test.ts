import { expect, it } from 'vitest';
import { jsonEvents } from '../../lambdas/providers/http/json-events.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Buffer, void> {
  for (const text of texts) yield Buffer.from(text);
}

it('events are JSON documents, and the end mark of OpenAI’s streams is not an event', async () => {
  const body = chunks('data: {"a":1}\n\ndata: ', '{"a":2}\n\n', 'data: [DONE]\n\n');

  expect(await Array.fromAsync(jsonEvents(body, 1_000))).toEqual([{ a: 1 }, { a: 2 }]);
});
