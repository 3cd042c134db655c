import { describe, expect, it } from 'vitest';
import { sniffDocument } from '../../lambdas/providers/http/sniff-document.ts';

/** Returns a body in chunks, the number of chunks that were read, and whether the body was released. */
function bodyOf(...chunks: string[]) {
  const source = { isReleased: false, taken: 0 };
  async function* body(): AsyncGenerator<Buffer, void> {
    try {
      for (const chunk of chunks) {
        source.taken += 1;
        yield Buffer.from(chunk);
      }
    } finally {
      source.isReleased = true;
    }
  }
  return { body: body(), source };
}

async function look(...chunks: string[]) {
  const peeked = await sniffDocument(bodyOf(...chunks).body);
  const read: string[] = [];
  for await (const chunk of peeked.body) read.push(chunk.toString());
  return { isDocument: peeked.isDocument, read };
}

describe("the body of a provider's answer", () => {
  it.each(['{"id":1}', '[1]', ' \r\n\t{'])('is a document if it begins with a bracket: %j', async (text) => {
    expect(await look(text, 'rest')).toEqual({ isDocument: true, read: [text, 'rest'] });
  });

  it.each(['event: ping\n\n', 'data: {}', ': comment', '\n\ndata: [', '<html>', '"text"'])(
    'is a stream if it begins otherwise: %j',
    async (text) => {
      expect(await look(text, 'rest')).toEqual({ isDocument: false, read: [text, 'rest'] });
    },
  );

  it('is classified by its first character, in whichever chunk that arrives', async () => {
    expect(await look(' ', '\n', '  {"a":', '1}')).toEqual({ isDocument: true, read: [' ', '\n', '  {"a":', '1}'] });
  });

  it.each([[[]], [[' ', '\n']]])('is a stream if it is empty: %j', async (chunks) => {
    expect(await look(...chunks)).toEqual({ isDocument: false, read: chunks });
  });

  it('is searched for its beginning within a limit', async () => {
    const blanks = ' '.repeat(40 * 1024);
    const { body, source } = bodyOf(blanks, blanks, blanks, '{}');

    const { isDocument } = await sniffDocument(body);

    expect([isDocument, source.taken]).toEqual([false, 2]);
  });

  it('is released if its reader stops', async () => {
    const { body, source } = bodyOf('data: 1', 'data: 2');
    const peeked = await sniffDocument(body);
    await peeked.body.next();

    await peeked.body.return();

    expect(source.isReleased).toBe(true);
  });
});
