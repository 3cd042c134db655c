import { beforeAll, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => void (gateway = await commonGateway()));

const ask = (path: string, more: object = {}) =>
  post(gateway, path, { model: 'sandbox/gpt', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }], ...more });

// Pydantic AI's OpenRouterModel fails without this member.
it('chat completions name the provider that answered, as the record does', async () => {
  const whole = (await (await ask('/chat/completions')).json()) as { id: string; provider: string };
  const record = await finalGeneration(gateway, whole.id);
  const stream = await (await ask('/chat/completions', { stream: true })).text();
  const chunks = Array.from(stream.matchAll(/^data: (\{.*)$/gm), ([, json]) => JSON.parse(json!) as typeof whole);

  expect(whole.provider).toBe(record['provider_name']);
  expect(chunks.length).toBeGreaterThan(2);
  expect(new Set(chunks.map(({ provider }) => provider))).toEqual(new Set([record['provider_name']]));
});

it('messages do not', async () => {
  expect(await (await ask('/messages')).json()).not.toHaveProperty('provider');
});
