import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { get, post, startGateway, type RunningGateway } from '../support/gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

const ask = (directives: string) => ({
  model: 'sandbox/gpt',
  max_tokens: 100,
  messages: [{ role: 'user', content: `Hi\n@sandbox ${directives}` }],
});

/** Asks for an answer in one piece, and checks what comes of it when it was begun before it was there. */
async function asksForALongOne(directives: string): Promise<{ headMs: number }> {
  const startedMs = performance.now();
  const response = await post(gateway!, '/messages', ask(directives));
  const headMs = performance.now() - startedMs;
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
  return { headMs };
}

const impatient = fileURLToPath(new URL('../support/impatient.mjs', import.meta.url));

describe('an answer that takes longer than a client waits, not streamed', () => {
  it('is begun before it is there, whole in the end, and charged', async () => {
    gateway = await startGateway({ env: { NODE_OPTIONS: `--import ${impatient}` } });

    const { headMs } = await asksForALongOne('delay=100');

    // All of it takes some two seconds.
    expect(headMs).toBeLessThan(1_500);
  });

  it.skipIf(!process.env['TEST_LONG'])(
    'is begun after a minute, as it is outside of tests',
    { timeout: 120_000 },
    async () => {
      gateway = await startGateway();

      const { headMs } = await asksForALongOne('delay=3500');

      expect(headMs).toBeGreaterThan(59_000);
      expect(headMs).toBeLessThan(62_000);
    },
  );
});
