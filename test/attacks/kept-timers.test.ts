import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { memoryEnvironment, timersOf } from '../support/process-memory.ts';

/** Far more than what a gateway waits for by itself changes by. */
const REQUESTS = repeated(200, { ofWhichAlways: 60 });
const AT_ONCE = 20;
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

/** A timer holds all that its request has made, until the time of its function is over: many minutes. */
describe('a request that was answered', () => {
  it.each(bodies)('with %i leaves no timer behind: %s %j', async (status, path, body) => {
    const answered = async () => {
      const response = await post(gateway, path, body);
      await response.text();
      return response.status;
    };
    const answeredAtOnce = () => Promise.all(Array.from({ length: AT_ONCE }, answered));
    expect(await answered()).toBe(status);
    // Connections that are kept open for the next request have timers of their own.
    await answeredAtOnce();
    const before = await timersOf(gateway);

    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) await answeredAtOnce();

    // Timers of some seconds are none of them.
    await expect
      .poll(async () => (await timersOf(gateway)) - before, { timeout: STILL_THERE_MS, interval: 500 })
      .toBeLessThan(REQUESTS / 2);
  });
});
