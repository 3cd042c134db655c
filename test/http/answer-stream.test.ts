import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerStream } from '../../lambdas/http/answer-stream.ts';

const CHUNK = 'x'.repeat(8 * 1024);

/** Waits for one turn of the event loop. Then the stream has read everything that it reads without further input. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function textOf(stream: AnswerStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function endless() {
  const seen = { chunks: 0, isSettled: false };
  const stream = new AnswerStream(async (sink) => {
    do seen.chunks += 1;
    while (await sink(CHUNK));
    await turn();
    seen.isSettled = true;
  });
  return { stream, seen };
}

describe('a streamed answer', () => {
  it('has the written texts and bytes, in order', async () => {
    const stream = new AnswerStream(async (sink) => {
      for (const chunk of ['Прив', Buffer.from('ет'), '!']) await sink(chunk);
    });

    expect(await textOf(stream)).toBe('Привет!');
    await stream.settled;
  });

  it('has line separators in its texts only as escapes, and bytes as they are', async () => {
    const stream = new AnswerStream(async (sink) => {
      for (const chunk of ['"a\u2028b"', Buffer.from('\u2028')]) await sink(chunk);
    });

    expect(await textOf(stream)).toBe('"a\\u2028b"\u2028');
  });

  it('does not start before it is read', async () => {
    const { seen } = endless();
    await turn();
    expect(seen.chunks).toBe(0);
  });

  it('is written no faster than it is read', async () => {
    const { stream, seen } = endless();

    stream.read(0);
    for (let count = 0; count < 20; count += 1) await turn();
    const buffered = seen.chunks;
    stream.read();
    for (let count = 0; count < 20; count += 1) await turn();

    expect(buffered).toBeLessThanOrEqual(3);
    expect(seen.chunks).toBeGreaterThan(buffered);
    expect(seen.chunks).toBeLessThanOrEqual(2 * 3);
    stream.destroy();
  });

  it('lets its writer wait only for a slow reader', async () => {
    const waits: boolean[] = [];
    const stream = new AnswerStream(async (sink) => {
      for (let count = 0; count < 3; count += 1) {
        const wantsMore = sink(CHUNK);
        waits.push(wantsMore instanceof Promise);
        await wantsMore;
      }
    });

    stream.read(0);
    await turn();
    const withoutReader = [...waits];
    stream.resume();
    await stream.settled;

    expect(withoutReader).toEqual([false, true]);
    expect(waits).toHaveLength(3);
  });

  it('fails if its writer fails, and counts as settled', async () => {
    const stream = new AnswerStream(async (sink) => {
      await sink('x');
      throw new Error('broken');
    });

    await expect(textOf(stream)).rejects.toThrow('broken');
    await stream.settled;
  });
});

describe('a silent streamed answer', () => {
  const whenSilent = { chunk: 'ping ', afterMs: 10_000 };
  function paced() {
    const parts = new TransformStream<string, string>();
    const writer = parts.writable.getWriter();
    const stream = new AnswerStream(async (sink) => {
      for await (const part of parts.readable) await sink(part);
    }, whenSilent);
    const heard: string[] = [];
    return { stream, heard, listen: () => stream.on('data', (chunk) => heard.push(String(chunk))), writer };
  }

  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('sends a keep-alive after each interval of silence, and not before', async () => {
    const { heard, listen, writer } = paced();
    listen();
    await turn();

    await vi.advanceTimersByTimeAsync(9_999);
    const before = [...heard];
    await vi.advanceTimersByTimeAsync(1);
    void writer.write('words ');
    await turn();
    await vi.advanceTimersByTimeAsync(9_999);
    await turn();
    await vi.advanceTimersByTimeAsync(1);
    await turn();

    expect(before).toEqual([]);
    expect(heard).toEqual(['ping ', 'words ', 'ping ']);
  });

  it('sends only one keep-alive to a reader that does not read', async () => {
    const { stream } = paced();
    stream.read(0);

    await vi.advanceTimersByTimeAsync(20 * whenSilent.afterMs);

    expect(String(stream.read())).toBe('ping ');
    stream.destroy();
  });

  it('leaves no timer behind, however it ends', async () => {
    const { stream, listen, writer } = paced();
    listen();
    await writer.close();
    await stream.settled;
    const abandoned = new AnswerStream(async (sink) => void (await sink('words')), whenSilent);
    abandoned.destroy();
    await abandoned.settled;

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a streamed answer whose reader disconnects', () => {
  it('aborts its signal at once, while the writer waits for its upstream', async () => {
    const waits = Promise.withResolvers<void>();
    const stream = new AnswerStream(async (sink, readerLeft) => {
      await sink('x');
      waits.resolve();
      await once(readerLeft, 'abort');
    });
    stream.resume();
    await waits.promise;

    stream.destroy();

    await stream.settled;
  });

  it('closes only after its writer has ended', async () => {
    const { stream, seen } = endless();
    stream.read(0);
    await turn();

    stream.destroy();
    await once(stream, 'close');

    expect(seen.isSettled).toBe(true);
  });

  it('runs its writer to the end, also if nothing was read', async () => {
    const { stream, seen } = endless();

    stream.destroy();
    await stream.settled;

    expect(seen.isSettled).toBe(true);
  });

  it('takes no more from its writer', async () => {
    const answers: unknown[] = [];
    const stream = new AnswerStream(async (sink) => {
      for (let count = 0; count < 4; count += 1) answers.push(await sink(CHUNK));
    });
    stream.read(0);
    await turn();

    stream.destroy();
    await stream.settled;

    expect(answers).toEqual([true, false, false, false]);
  });

  it('does not affect others if its writer fails at the end', async () => {
    const stream = new AnswerStream(async (sink) => {
      while (await sink(CHUNK));
      throw new Error('on the way out');
    });
    stream.read(0);
    await turn();

    stream.destroy();
    await once(stream, 'close');
    await stream.settled;

    expect(stream.errored).toBeNull();
  });
});
