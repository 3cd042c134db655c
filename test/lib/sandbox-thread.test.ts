import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandboxThread, type SandboxThread } from '../../lib/local/sandbox-thread.ts';

let sandbox: SandboxThread;
beforeAll(async () => {
  sandbox = await startSandboxThread();
});
afterAll(() => sandbox.stop());

const embed = (body: object) =>
  fetch(`${sandbox.chatUrl}/embeddings`, { method: 'POST', body: JSON.stringify({ model: 'embedder', ...body }) });

describe('the thread of the sandbox', () => {
  it('keeps the process responsive during many long vectors', async () => {
    const input = Array.from({ length: 300 }, (_, index) => `text ${index} ${'word '.repeat(100)}`);
    let turns = 0;
    let isAnswered = false;
    const count = () => {
      turns += 1;
      if (!isAnswered) setTimeout(count, 1);
    };
    count();

    const response = await embed({ input, dimensions: 4_096, encoding_format: 'base64' });
    isAnswered = true;
    await response.arrayBuffer();

    expect(response.status).toBe(200);
    expect(turns).toBeGreaterThan(20);
  });

  it.each([
    [{ input: ['a'], dimensions: 4_097 }, /dimensions/],
    [{ input: ['a'.repeat(4 * 8_192 + 1)] }, /maximum context length/],
    [{ input: [Array(8_193).fill(1)] }, /maximum context length/],
    [{ input: Array(2_049).fill('a') }, /at most 2048/],
  ])('refuses a request as a real provider does: $0', async (body, message) => {
    const response = await embed(body);
    const { error } = (await response.json()) as { error: { message: string } };

    expect([response.status, error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('sums the directions of repeated words in the vector of a text', async () => {
    const [once, twice] = await Promise.all(
      ['b a', 'a b a b'].map(async (text) => {
        const { data } = (await (await embed({ input: [text] })).json()) as { data: { embedding: number[] }[] };
        return data[0]!.embedding;
      }),
    );

    expect(twice).toEqual(once);
  });

  it('is not reported as lost when it is stopped', async () => {
    const other = await startSandboxThread();
    let isLost = false;
    void other.lost.then(() => (isLost = true));

    await other.stop();

    await expect(fetch(other.chatUrl)).rejects.toThrow('fetch failed');
    expect(isLost).toBe(false);
  });
});
