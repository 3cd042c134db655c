import Anthropic from '@anthropic-ai/sdk';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-admission-'));
  gateway = await startGateway({ args: ['--data', directory], env: { HOLD_PATIENCE_MS: '4000' } });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function newKey(limits: { limit: number; limit_reset?: 'daily' }): Promise<RunningGateway> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'test', ...limits });
  return { ...gateway, key: (body as { key: string }).key };
}

async function keyInfo(on: RunningGateway): Promise<Record<string, number>> {
  return ((await (await get(on, '/key')).json()) as { data: Record<string, number> }).data;
}

/** Returns the request of a coding agent: 50 KB of instructions and tools, 32,000 output tokens, adaptive thinking. */
const agentRequest = (words = 'hello') => ({
  model: 'sandbox/claude',
  max_tokens: 32_000,
  thinking: { type: 'adaptive' as const },
  system: [
    {
      type: 'text' as const,
      text: 'You are an agent that edits code. '.repeat(500),
      cache_control: { type: 'ephemeral' as const },
    },
  ],
  tools: Array.from({ length: 33 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Does something useful to a file. '.repeat(26),
    input_schema: { type: 'object' as const, properties: { path: { type: 'string' } } },
  })),
  messages: [said(words, 'tokens=20 delay=2')],
});

describe('a first request of an agent on a key with 50 roubles a day', () => {
  it('is admitted, although its bytes and all possible thinking would cost more', async () => {
    const request = agentRequest();
    expect(JSON.stringify(request).length).toBeGreaterThan(45_000);
    const key = await newKey({ limit: 50, limit_reset: 'daily' });

    const response = await post(key, '/messages', request);

    expect(response.status).toBe(200);
    const { id } = (await response.json()) as { id: string };
    const { total_cost: cost } = await finalGeneration(key, id);
    expect(cost).toBeGreaterThan(1.2);
    expect(cost).toBeLessThan(1.5);
    expect(await keyInfo(key)).toMatchObject({ limit_remaining: 50 - Number(cost) });
  });

  it('is admitted ten times concurrently, after short waits', async () => {
    const key = await newKey({ limit: 50, limit_reset: 'daily' });
    const client = new Anthropic({ baseURL: gateway.anthropicUrl, apiKey: key.key });

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.messages.stream(agentRequest(`hello ${index}`)).finalMessage()),
    );

    expect(answers.map(({ content }) => content.length > 0)).toEqual(answers.map(() => true));
    for (const { id } of answers) await finalGeneration(key, id);
    const { usage, limit_remaining: left } = await keyInfo(key);
    expect(usage).toBeGreaterThan(12);
    expect(usage! + left!).toBeCloseTo(50, 10);
  });
});

describe('a refusal for money', () => {
  it('has the maximum amount that the request needs, and states that the unused part is released', async () => {
    const key = await newKey({ limit: 0.5 });
    const response = await post(key, '/messages', {
      model: 'sandbox/gpt',
      max_tokens: 4_000,
      messages: [said('word '.repeat(2_000))],
    });

    const { error } = (await response.json()) as { error: { message: string; metadata: Record<string, string> } };
    const { required_rub: whole, required_input_rub: input, required_output_rub: output } = error.metadata;
    expect(response.status).toBe(402);
    expect(Number(input) + Number(output)).toBeCloseTo(Number(whole), 9);
    expect(error.message).toMatch(
      /^To begin, this request needs (?:at most )?[\d.]+ RUB \(.*the unused part is released\)/,
    );
    expect(response.headers.get('x-should-retry')).toBeNull();
  });

  it('permits a retry if only requests in flight are in the way', async () => {
    const key = await newKey({ limit: 8 });
    const long = { ...agentRequest('Think'), max_tokens: 5_000, messages: [said('Think', 'tokens=500 delay=14')] };
    const first = post(key, '/messages', { ...long, tools: [], system: 'Short.' });
    await expect.poll(async () => (await keyInfo(key))['limit_remaining']).toBeLessThan(8);

    const refused = await post(key, '/messages', { ...long, tools: [], system: 'Short.' });

    expect(refused.status).toBe(402);
    expect(refused.headers.get('x-should-retry')).toBe('true');
    expect(refused.headers.get('retry-after')).toBe('3');
    await first;
  });
});

describe('thinking by default', () => {
  it('is held from the start, so that a limit is kept', async () => {
    const key = await newKey({ limit: 20 });
    const response = await post(key, '/messages', {
      model: 'sandbox/thinker',
      max_tokens: 30_000,
      messages: [said('Hard', 'hidden=29000 delay=0')],
    });

    expect(response.status).toBe(200);
    const { id } = (await response.json()) as { id: string };
    const generation = await finalGeneration(key, id);
    expect(generation['native_tokens_reasoning']).toBeGreaterThan(5_000);
    expect((await keyInfo(key))['usage']).toBeLessThanOrEqual(20);
  });
});

describe('a PDF document', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: Buffer.from('%PDF-1.4 small').toString('base64') };
  const ask = (model: string) => ({
    model,
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: pdf },
          { type: 'text', text: 'Read it.' },
        ],
      },
    ],
  });

  it('is counted by its provider before it is held', async () => {
    const key = await newKey({ limit: 2 });
    expect((await post(key, '/messages', ask('sandbox/claude'))).status).toBe(200);
  });

  it('is held at the context of the model if the provider has no counts', async () => {
    const key = await newKey({ limit: 10 });
    const response = await post(key, '/messages', ask('sandbox/gpt'));
    expect(response.status).toBe(402);
    const { error } = (await response.json()) as { error: { metadata: Record<string, string> } };
    expect(Number(error.metadata['required_input_rub'])).toBeCloseTo(128_000 * 0.00015, 9);
  });
});

describe('a model with a price per request and per image', () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } };
  const ask = {
    model: 'sandbox/priced',
    max_tokens: 50,
    messages: [{ role: 'user', content: [image, image, { type: 'text', text: 'Look' }] }],
  };

  it('has both in its cost', async () => {
    const response = await post(gateway, '/messages', ask);
    const { id, usage } = (await response.json()) as { id: string; usage: Record<string, number> };
    const generation = await finalGeneration(gateway, id);
    // The cost is 0.25 for the request, 0.5 for each of two images, and the tokens.
    const tokens = usage['input_tokens']! * 0.0001 + usage['output_tokens']! * 0.0002;
    expect(generation['total_cost']).toBeCloseTo(0.25 + 2 * 0.5 + tokens, 9);
    expect(generation['total_cost']).toBe(usage['cost']);
  });

  it('has both in its hold', async () => {
    const key = await newKey({ limit: 1.24 });
    const response = await post(key, '/messages', ask);
    expect(response.status).toBe(402);
  });
});
