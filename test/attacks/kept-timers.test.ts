import { afterAll, beforeAll, expect, it } from 'vitest';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { memoryEnvironment, timersOf } from '../support/process-memory.ts';

/** Number of requests, far above the number by which the gateway's own timers vary. */
const REQUESTS = repeated(200, { ofWhichAlways: 60 });
/** Number of concurrent requests. It is low, because open connections have timers. */
const AT_ONCE = 5;
const STILL_THERE_MS = 20_000;

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: memoryEnvironment });
});
afterAll(() => gateway.stop());

const hello = said('Hi', 'delay=0 tokens=2');
const questions = { which: { type: 'choice', instructions: 'Which?', criteria: { a: 'The first', b: 'The second' } } };

const bodies: [status: number, path: string, body: object][] = [
  [200, '/messages', { model: 'sandbox/claude', messages: [hello] }],
  [200, '/messages', { model: 'sandbox/gpt', stream: true, messages: [hello] }],
  [529, '/messages', { model: 'sandbox/gpt', messages: [said('Hi', 'error=529')] }],
  [200, '/messages/count_tokens', { model: 'sandbox/claude', messages: [hello] }],
  [200, '/chat/completions', { model: 'sandbox/gemini', messages: [hello] }],
  [200, '/responses', { model: 'sandbox/reasoner', input: hello.content }],
  [200, '/embeddings', { model: 'sandbox/embedder', input: 'Hi' }],
  [200, '/decisions', { model: 'sandbox/jury', state: 'Hi', questions }],
];

/** A timer that is left behind keeps the objects of its request in memory for many minutes. */
it('requests and answers of several kinds leave no timer behind', async () => {
  const statusOf = async (path: string, body: object) => {
    const response = await post(gateway, path, body);
    await response.text();
    return response.status;
  };
  const answerEach = async (atOnce: number) => {
    for (const [status, path, body] of bodies) {
      const statuses = await Promise.all(Array.from({ length: atOnce }, () => statusOf(path, body)));
      expect(new Set(statuses), path).toEqual(new Set([status]));
    }
  };
  await answerEach(1);
  const before = await timersOf(gateway);

  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) await answerEach(AT_ONCE);

  // Timers that end within some seconds do not matter.
  await expect
    .poll(async () => (await timersOf(gateway)) - before, { timeout: STILL_THERE_MS, interval: 1_500 })
    .toBeLessThan(REQUESTS / 2);
});
