import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminJson } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { readEvents, summarize } from '../support/sse.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  gateway = await startGateway({
    args: ['--data', directory],
    env: { OUTPUT_STEP_TOKENS: '400', CALLER_CACHE_MS: '500' },
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const withKey = (key: string): RunningGateway => ({ ...gateway, key });

async function newKey(...args: string[]): Promise<RunningGateway> {
  const { key } = await adminJson(directory, 'keys', 'create', '--name', 'test', ...args);
  return withKey(key as string);
}

/** Returns a client with a key of a new account, which has only this limit. */
async function keyWithin(source: string, limit: string): Promise<RunningGateway> {
  const { id } = await adminJson(directory, 'accounts', 'create', '--name', source);
  const account = ['--account', id as string];
  const budget = ['budgets', 'set', '--interval', 'monthly', '--limit', limit];
  if (source === 'key_limit') return newKey(...account, '--limit', limit);
  if (source === 'account_limit') await adminJson(directory, ...account, 'accounts', 'limit', '--limit', limit);
  if (source === 'workspace_budget') await adminJson(directory, ...account, ...budget);
  if (source !== 'member_budget') return newKey(...account);
  await adminJson(directory, ...account, 'members', 'add', '--member', 'ann');
  await adminJson(directory, ...account, ...budget, '--member', 'ann');
  return newKey(...account, '--member', 'ann');
}

async function keyInfo(on: RunningGateway): Promise<Record<string, number>> {
  return ((await (await get(on, '/key')).json()) as { data: Record<string, number> }).data;
}

describe('a limited key', () => {
  it('is refused with 402, the amounts, and the affordable max_tokens', async () => {
    const poor = await newKey('--limit', '0.6', '--limit-reset', 'daily');

    const response = await post(poor, '/messages', {
      model: 'sandbox/claude',
      max_tokens: 400,
      messages: [said('Hello', 'delay=0')],
    });

    expect(response.status).toBe(402);
    const { error } = (await response.json()) as { error: Record<string, unknown> };
    expect(error).toMatchObject({
      type: 'billing_error',
      code: 402,
      metadata: {
        limit_source: 'key_limit',
        interval: 'daily',
        limit_rub: '0.6',
        spend_rub: '0',
        remaining_rub: '0.6',
      },
    });
    const { affordable_max_tokens: affordable } = error['metadata'] as { affordable_max_tokens: number };
    const retry = await post(poor, '/messages', {
      model: 'sandbox/claude',
      max_tokens: affordable,
      messages: [said('Hello', 'delay=0')],
    });
    expect(retry.status).toBe(200);
  });

  it('is refused with the affordable max_tokens also after a long prompt', async () => {
    // The limit is below the bound that is computed from the prompt's bytes, and below the first step of an answer.
    const poor = await newKey('--limit', '0.5');
    const ask = { model: 'sandbox/claude', system: 'Be brief. '.repeat(200), messages: [said('Hello', 'delay=0')] };

    const refusal = await post(poor, '/messages', { ...ask, max_tokens: 8_000 });

    expect(refusal.status).toBe(402);
    const { error } = (await refusal.json()) as { error: { metadata: { affordable_max_tokens: number } } };
    const retry = await post(poor, '/messages', { ...ask, max_tokens: error.metadata.affordable_max_tokens });
    expect(retry.status).toBe(200);
  });

  it('is not advised a max_tokens below its thinking budget', async () => {
    const poor = await newKey('--limit', '0.6');
    const refusal = await post(poor, '/messages', {
      model: 'sandbox/claude',
      max_tokens: 8_000,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages: [said('Hello', 'delay=0')],
    });
    expect(refusal.status).toBe(402);
    expect(await refusal.json()).not.toHaveProperty('error.metadata.affordable_max_tokens');
  });

  it.each(['key_limit', 'workspace_budget', 'member_budget', 'account_limit'])(
    'gets the same advice from any limit, for whole answers and streams: %s',
    async (source) => {
      const poor = await keyWithin(source, '0.6');
      const ask = { model: 'sandbox/claude', max_tokens: 400, messages: [said('Hello', 'delay=0')] };

      const advised = [];
      for (const stream of [false, true]) {
        const { error } = (await (await post(poor, '/messages', { ...ask, stream })).json()) as {
          error: { metadata: { limit_source: string; affordable_max_tokens?: number } };
        };
        advised.push([error.metadata.limit_source, error.metadata.affordable_max_tokens]);
      }

      expect(advised).toEqual([
        [source, 385],
        [source, 385],
      ]);
    },
  );

  it('gets its hold extended during the stream, and settled spending stays within the limit', async () => {
    // The limit covers the first step of the hold, but not 2,000 words at 0.0015 RUB.
    const poor = await newKey('--limit', '1.5');

    const response = await post(poor, '/messages', {
      model: 'sandbox/claude',
      max_tokens: 3_000,
      stream: true,
      messages: [said('Write', 'tokens=2000 delay=0')],
    });
    const events = await readEvents(response);

    const { stopReason, text, usage } = summarize(events);
    expect(stopReason).toBe('max_tokens');
    expect(text).toMatch(/^word0 word1 /);
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', metadata: { limit_source: 'key_limit' } });
    const generation = await finalGeneration(poor, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ total_cost: usage['cost'], finish_reason: 'max_tokens', estimated: true });
    const info = await keyInfo(poor);
    expect(info['usage']).toBe(generation['total_cost']);
    // The answer is longer than two whole steps of the hold, which are 800 bytes or about 200 tokens.
    expect(generation['tokens_completion']).toBeGreaterThan(200);
    expect(info['usage']).toBeLessThanOrEqual(1.5);
    expect(info['limit_remaining']! + info['usage']!).toBeCloseTo(1.5, 10);
  });

  it('cannot exclude its prompt from the bound by an image that is not sent', async () => {
    const poor = await newKey('--limit', '4');
    const text = 'word '.repeat(80_000);
    const image = {
      type: 'image',
      source: { type: 'url', url: 'https://example.com/a.png', data: 'y'.repeat(400_000) },
    };
    const content = [{ type: 'text', text }, image];
    const ask = { model: 'sandbox/gpt', max_tokens: 10, messages: [{ role: 'user', content }] };
    expect((await post(poor, '/messages', ask)).status).toBe(402);
  });

  it('has its answer shortened to the affordable length with hidden thinking', async () => {
    const poor = await newKey('--limit', '2');
    const thinking = { type: 'enabled', budget_tokens: 30_000 };
    const ask = { model: 'sandbox/claude', max_tokens: 31_000, thinking, messages: [said('x', 'tokens=3000 delay=0')] };

    const response = await post(poor, '/messages', { ...ask, stream: true });

    const events = await readEvents(response);
    expect(summarize(events).stopReason).toBe('max_tokens');
    expect(events.at(-2)).toMatchObject({ metadata: { error_type: 'payment_required', limit_source: 'key_limit' } });
    await finalGeneration(poor, response.headers.get('x-generation-id')!);
    expect((await keyInfo(poor))['usage']).toBeLessThanOrEqual(2);
  });

  it('is refused if not even one step of thinking fits', async () => {
    const poor = await newKey('--limit', '0.6');
    const thinking = { type: 'adaptive' };
    const ask = { model: 'sandbox/claude', max_tokens: 31_000, thinking, messages: [said('x')] };
    expect((await post(poor, '/messages', ask)).status).toBe(402);
  });

  it('gets the whole answer if every extension finds room', async () => {
    const rich = await newKey('--limit', '1000');
    const response = await post(rich, '/messages', {
      model: 'sandbox/gpt',
      max_tokens: 3_000,
      stream: true,
      messages: [said('Write', 'tokens=1500 delay=0')],
    });
    expect(summarize(await readEvents(response))).toMatchObject({
      stopReason: 'end_turn',
      usage: { output_tokens: 1500 },
    });
    await finalGeneration(rich, response.headers.get('x-generation-id')!);
    expect(await keyInfo(rich)).toMatchObject({ limit: 1000 });
  });
});

describe('a prepaid account', () => {
  it('is refused before its first top-up, and answered after it', async () => {
    const { id } = await adminJson(directory, 'accounts', 'create', '--name', 'Prepaid', '--mode', 'prepaid');
    const account = ['--account', id as string];
    const { key } = await adminJson(directory, ...account, 'keys', 'create', '--name', 'k');
    const client = withKey(key as string);
    const request = { model: 'sandbox/claude', max_tokens: 100, messages: [said('Hello', 'delay=0')] };

    const empty = await post(client, '/messages', request);
    await adminJson(directory, ...account, 'accounts', 'top-up', '--amount', '50');
    const filled = await post(client, '/messages', request);

    expect(empty.status).toBe(402);
    expect(await empty.json()).toMatchObject({ error: { metadata: { limit_source: 'account_balance' } } });
    expect(filled.status).toBe(200);
  });
});

describe('a client that disconnects', () => {
  it('stops the upstream, is charged for the text so far, and leaves no hold', async () => {
    const key = await newKey('--limit', '100');
    const leaving = new AbortController();
    const response = await fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'x-api-key': key.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/claude',
        max_tokens: 300,
        stream: true,
        messages: [said('Write', 'tokens=300 delay=20')],
      }),
    });
    const reader = response.body!.getReader();
    for (let received = 0; received < 2_000;) received += (await reader.read()).value!.length;

    leaving.abort();

    const generation = await finalGeneration(key, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ cancelled: true, streamed: true });
    expect(generation['tokens_completion']).toBeGreaterThan(5);
    expect(generation['tokens_completion']).toBeLessThan(100);
    const info = await keyInfo(key);
    expect(info['usage']).toBe(generation['total_cost']);
    expect(info['limit_remaining']! + info['usage']!).toBeCloseTo(100, 10);
  });
});

describe('a failure of the provider', () => {
  it('costs nothing without output', async () => {
    const key = await newKey('--limit', '100');
    const response = await post(key, '/messages', {
      model: 'sandbox/gpt',
      messages: [said('x', 'error=500')],
    });
    expect(response.status).toBe(502);
    const generation = await finalGeneration(key, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ total_cost: 0, finish_reason: 'error' });
    expect(await keyInfo(key)).toMatchObject({ usage: 0, limit_remaining: 100 });
  });

  it('costs nothing also after the first output if the client does not stream', async () => {
    const response = await post(gateway, '/messages', { model: 'sandbox/claude', messages: [said('x', 'fail=0')] });
    expect(response.status).toBe(529);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ total_cost: 0, cancelled: false });
  });

  it('in the middle of a stream costs the written output, and ends with an error in the stream', async () => {
    const response = await post(gateway, '/messages', {
      model: 'sandbox/gpt',
      stream: true,
      messages: [said('x', 'tokens=50 break=20 delay=1')],
    });
    const events = await readEvents(response);
    expect(response.status).toBe(200);
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    const { tokens_prompt, total_cost } = generation as Record<string, number>;
    const written = Math.ceil(Buffer.byteLength(summarize(events).text) / 4);
    expect(generation).toMatchObject({ estimated: true, finish_reason: 'error', tokens_completion: written });
    expect(total_cost).toBeCloseTo(tokens_prompt! * 0.00015 + written * 0.0006, 9);
  });
});

describe('a generation', () => {
  it('is final within two seconds of its last byte, in the median of several', async () => {
    const waits: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      const response = await post(gateway, '/messages', {
        model: 'sandbox/claude',
        stream: true,
        messages: [said('x', 'tokens=5 delay=0')],
      });
      await readEvents(response);
      const endedAt = performance.now();
      await finalGeneration(gateway, response.headers.get('x-generation-id')!);
      waits.push(performance.now() - endedAt);
    }
    expect(waits.toSorted((a, b) => a - b)[3]).toBeLessThan(2_000);
  });

  it('is hidden from other members and other accounts', async () => {
    await adminJson(directory, 'members', 'add', '--member', 'ann');
    await adminJson(directory, 'members', 'add', '--member', 'bob');
    const ann = await newKey('--member', 'ann');
    const bob = await newKey('--member', 'bob');
    const { id: other } = await adminJson(directory, 'accounts', 'create', '--name', 'Other');
    const { key } = await adminJson(directory, '--account', other as string, 'keys', 'create', '--name', 'k');
    const response = await post(ann, '/messages', { model: 'sandbox/claude', messages: [said('x', 'delay=0')] });
    const { id } = (await response.json()) as { id: string };
    await finalGeneration(ann, id);

    expect((await get(gateway, `/generation?id=${id}`)).status).toBe(200);
    expect((await get(bob, `/generation?id=${id}`)).status).toBe(404);
    expect((await get(gateway, `/generation?id=${id}`, key as string)).status).toBe(404);
  });
});

describe('a disabled key', () => {
  it('is refused at once if its request needs a hold, and otherwise after the cached caller expires', async () => {
    const created = await adminJson(directory, 'keys', 'create', '--name', 'off', '--limit', '100');
    const client = withKey(created['key'] as string);
    const request = { model: 'sandbox/claude', max_tokens: 10, messages: [said('x', 'delay=0')] };
    expect((await post(client, '/messages', request)).status).toBe(200);

    await adminJson(directory, 'keys', 'disable', '--key', created['hash'] as string);

    expect((await post(client, '/messages', request)).status).toBe(401);
    await expect.poll(async () => (await get(client, '/key')).status).toBe(401);
  });
});
