import { afterEach, describe, expect, it, vi } from 'vitest';
import { get, post, startGateway, type RunningGateway } from '../support/gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

const ask = (directives: string) => ({
  model: 'sandbox/gpt',
  max_tokens: 100,
  messages: [{ role: 'user', content: `Hi\n@sandbox ${directives}` }],
});

/** It takes more than a minute: it belongs to the long form. */
describe.skipIf(!process.env['TEST_LONG'])('an answer that takes more than a minute, not streamed', () => {
  it('is begun after a minute, whole in the end, and charged', { timeout: 120_000 }, async () => {
    gateway = await startGateway();
    const startedMs = performance.now();
    const response = await post(gateway, '/messages', ask('delay=3500'));
    expect(performance.now() - startedMs).toBeLessThan(62_000);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    const text = await response.text();
    expect(text).toMatch(/^ +\{/);
    const message = JSON.parse(text) as { id: string; usage: { cost: number } };
    expect(message.usage.cost).toBeGreaterThan(0);
    const charged = async () => {
      const settled = await (await get(gateway!, `/generation?id=${message.id}`)).json();
      expect(settled).toMatchObject({ data: { total_cost: message.usage.cost } });
    };
    await vi.waitFor(charged, { timeout: 5_000 });
  });
});
