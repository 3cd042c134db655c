import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeAnswerSilenceMs } from '../../lambdas/api/parts/whole-body.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

/** Gateway that begins a response after 300 ms of silence. */
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { WHOLE_ANSWER_SILENCE_MS: '300' } });
});
afterAll(() => gateway.stop());

const ask = (directives: string) => ({
  model: 'sandbox/gpt',
  max_tokens: 100,
  messages: [{ role: 'user', content: `Hi\n@sandbox ${directives}` }],
});

/** Requests a long answer, whose response must begin before the answer is complete. */
async function asksForALongOne(directives: string): Promise<{ headMs: number }> {
  const startedMs = performance.now();
  const response = await post(gateway, '/messages', ask(directives));
  const headMs = performance.now() - startedMs;
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/json');
  const text = await response.text();
  expect(text).toMatch(/^ +\{/);
  const message = JSON.parse(text) as { id: string; usage: { cost: number } };
  expect(message.usage.cost).toBeGreaterThan(0);
  const charged = async () => {
    const settled = await (await get(gateway, `/generation?id=${message.id}`)).json();
    expect(settled).toMatchObject({ data: { total_cost: message.usage.cost } });
  };
  await eventually(charged);
  return { headMs };
}

describe('an answer that takes longer than a client waits, without streaming,', () => {
  it('begins before it is complete, is complete in the end, and charged', async () => {
    const { headMs } = await asksForALongOne('delay=100 tokens=40');

    // The whole answer takes about four seconds, so the head of the response came earlier.
    expect(headMs).toBeLessThan(3_000);
  });

  it('is a full error if it fails after its response has begun', async () => {
    const response = await post(gateway, '/messages', ask('delay=200 tokens=40 fail=15'));

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', code: 529, metadata: { error_type: 'provider_overloaded' } },
      request_id: response.headers.get('request-id'),
    });
  });

  it('has the status of a failure during the first minutes', async () => {
    const client = await commonGateway();

    expect(wholeAnswerSilenceMs()).toBeGreaterThan(180_000);
    // API Gateway and Node's fetch end connections at 300 s, load balancers of Azure at 240 s.
    expect(wholeAnswerSilenceMs()).toBeLessThan(240_000);
    expect((await post(client, '/messages', ask('delay=200 tokens=40 fail=15'))).status).toBe(529);
  });

  it.skipIf(!process.env['TEST_LONG'])('has the status of a timeout', { timeout: 180_000 }, async () => {
    const client = await commonGateway();

    // The sandbox hangs for longer than a minute.
    expect((await post(client, '/messages', ask('hang'))).status).toBe(504);
  });
});
