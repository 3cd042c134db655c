import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { listResponse } from '../../lambdas/http/list-response.ts';

const answered = (elements: Iterable<object>) =>
  text(listResponse({ a: 1 }, { name: 'list', elements }).body as Readable);

describe('an answer with a long list', () => {
  it.each([0, 1, 2, 5_000])('is the JSON of its fields and of its %i elements', async (count) => {
    const list = Array.from({ length: count }, (_, index) => ({ index, text: 'x'.repeat(50) }));

    expect(JSON.parse(await answered(list))).toEqual({ a: 1, list });
  });

  it('does not block other work while it is written', async () => {
    let turns = 0;
    let isWritten = false;
    const count = () => {
      turns += 1;
      if (!isWritten) setImmediate(count);
    };
    setImmediate(count);

    await answered(Array.from({ length: 300 }, () => ({ numbers: Array(3_000).fill(0.123456789) })));
    isWritten = true;

    expect(turns).toBeGreaterThan(10);
  });
});
