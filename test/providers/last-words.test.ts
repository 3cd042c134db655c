import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { googleGeminiWire } from '../../lambdas/providers/google-gemini/wire.ts';
import { withTrailingTimeout } from '../../lambdas/providers/http/last-words.ts';

const PATIENCE_MS = 5_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns the chunks of a body, whether it has ended, and its error. */
function reading(body: AsyncIterable<Buffer>, closingAfter: string) {
  const result = { chunks: [] as string[], hasEnded: false, error: undefined as unknown };
  const read = async () => {
    for await (const chunk of withTrailingTimeout(body, () => result.chunks.includes(closingAfter))) {
      result.chunks.push(chunk.toString());
    }
  };
  const done = read()
    .catch((error: unknown) => (result.error = error))
    .finally(() => (result.hasEnded = true));
  return { result, done };
}

function fed() {
  const { readable, writable } = new TransformStream<Buffer, Buffer>();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  return {
    body: readable as unknown as AsyncIterable<Buffer>,
    say: (text: string) => void writer.write(Buffer.from(text)).catch(() => {}),
    end: () => void writer.close(),
  };
}

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from('words');
  throw new Error('broken');
}

function endless() {
  let isReleased = false;
  async function* body(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.from('words');
    } finally {
      isReleased = true;
    }
  }
  return { body: body(), isReleased: () => isReleased };
}

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a body after the end of its answer', () => {
  it('is read to its end', async () => {
    const { body, say, end } = fed();
    const { result, done } = reading(body, 'reason');
    say('words');
    say('reason');
    await passed(PATIENCE_MS - 1);
    say('stop');
    await passed(0);
    end();

    await done;

    expect(result.chunks).toEqual(['words', 'reason', 'stop']);
  });

  it('is abandoned if it stays silent', async () => {
    const { body, say } = fed();
    const { result } = reading(body, 'reason');
    say('reason');

    await passed(PATIENCE_MS - 1);
    expect(result.hasEnded).toBe(false);
    await passed(1);

    expect(result).toMatchObject({ hasEnded: true, error: undefined, chunks: ['reason'] });
  });

  it('is abandoned if it continues', async () => {
    const { body, say } = fed();
    const { result } = reading(body, 'reason');
    say('reason');

    for (let second = 1; second <= 10; second += 1) {
      await passed(1_000);
      say(`after ${second} s`);
    }
    await passed(0);

    expect(result.hasEnded).toBe(true);
    expect(result.chunks.length).toBeLessThanOrEqual(6);
  });

  it('is abandoned if it continues without a pause in which a timer could fire', async () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    async function* rambling(): AsyncGenerator<Buffer> {
      for (; nowMs < 20 * PATIENCE_MS; nowMs += 1_000) yield Buffer.from('reason');
    }

    const { result, done } = reading(rambling(), 'reason');
    await done;

    expect(result.chunks).toHaveLength(PATIENCE_MS / 1_000 + 1);
  });

  it('is released if its reader stops, without pending timers', async () => {
    const source = endless();
    const chunks = withTrailingTimeout(source.body, () => true);
    await chunks.next();
    await chunks.next();

    await chunks.return();

    expect([source.isReleased(), vi.getTimerCount()]).toEqual([true, 0]);
  });
});

describe('a stop reason in the middle of an answer', () => {
  it('does not end the answer of Gemini while output follows', async () => {
    const { body, say } = fed();
    const request = { model: 'm', messages: [] };
    const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 9, supportedParameters: [], quirks: {} };
    const result = { text: '', hasEnded: false };
    const read = async () => {
      for await (const { events } of googleGeminiWire.decode(body, { target, request, estimatedInputTokens: 1 })) {
        for (const { data } of events)
          if (data.type === 'content_block_delta') result.text += (data.delta as { text: string }).text;
      }
    };
    void read().finally(() => (result.hasEnded = true));

    for (const text of 'abcd') {
      say(`data: {"candidates":[{"content":{"parts":[{"text":"${text}"}]},"finishReason":"STOP"}]}\n\n`);
      await passed(PATIENCE_MS - 1);
    }

    expect(result).toEqual({ text: 'abcd', hasEnded: false });
    await passed(1);
    expect(result.hasEnded).toBe(true);
  });
});

describe('a body before the end of its answer', () => {
  it('may be silent without limit', async () => {
    const { body, say, end } = fed();
    const { result, done } = reading(body, 'reason');
    say('words');
    await passed(100 * PATIENCE_MS);
    say('more');
    await passed(0);
    end();

    await done;

    expect(result.chunks).toEqual(['words', 'more']);
  });

  it('fails with its own error', async () => {
    const { result, done } = reading(failing(), 'reason');
    await done;

    expect(result.chunks).toEqual(['words']);
    expect(result.error).toMatchObject({ message: 'broken' });
  });
});
