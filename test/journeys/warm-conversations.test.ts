import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { newAccount } from '../support/common-gateway.ts';
import type { Counts } from '../support/dialects.ts';
import { finalGeneration, type RunningGateway } from '../support/gateway.ts';
import { generationId, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

/** Returns the prices of a token: in the prompt without a cache, read from a cache, and written to a cache. */
const price = (prompt: string, cached: string, written: string) => ({
  prompt,
  completion: '0.002',
  input_cache_read: cached,
  input_cache_write: written,
});

let scripted: ScriptedGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway({
    providers: [
      ...['cheap', 'usual', 'dear'].map((id) => ({ id, wire: 'anthropic' as const })),
      { id: 'keyed', wire: 'openai-chat', quirks: { prompt_cache_key: 'session', user_field: true } },
    ],
    models: [
      textModel('test/model', [
        { provider: 'cheap', pricing: price('0.001', '0.0001', '0.00125') },
        { provider: 'usual', pricing: price('0.002', '0.0002', '0.0025') },
        { provider: 'dear', pricing: price('0.02', '0.002', '0.025') },
      ]),
      textModel('test/keyed', [{ provider: 'keyed', pricing: price('0.001', '0.0001', '0.001') }]),
      textModel('test/twin', [{ provider: 'dear', pricing: price('0.0005', '0.0005', '0.0005') }]),
    ],
  });
});
afterAll(() => scripted.stop());

/** About 22,000 tokens. By default, providers report that most of them were read from a cache. */
const PROMPT = 'word '.repeat(17_600);

const read: Counts = { prompt: '2000', output: '5', read: '20000', written: '0' };
const written: Counts = { prompt: '2000', output: '5', read: '0', written: '20000' };

/** Returns the first turn's text; `sent` collects the bodies that each provider gets. */
function conversation(sent: string[] = [], told = read): string {
  const marker = scripted.behaves(async ({ dialect, body, begin, send, finish }) => {
    sent.push(body);
    await begin();
    await send(dialect.opening(dialect.usage(told)) + dialect.text('Fine.') + dialect.reason() + dialect.stop);
    await finish();
  });
  return `${marker} ${randomUUID()} ${PROMPT}`;
}

const turn = (first: string) => [
  { role: 'user', content: first },
  { role: 'assistant', content: 'Fine.' },
  { role: 'user', content: 'And?' },
];

async function providerOf(body: object, headers: Record<string, string> = {}, client?: RunningGateway) {
  const { baseUrl, key } = client ?? scripted.gateway;
  const response = await fetch(`${baseUrl}/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test/model', max_tokens: 50, ...body }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  return (await finalGeneration(client ?? scripted.gateway, generationId(response)))['provider_name'];
}

/** Begins a conversation at a provider, as if all other providers had failed. */
async function begunAt(provider: string, first: string, more: object = {}, headers?: Record<string, string>) {
  const begin = { messages: [{ role: 'user', content: first }], provider: { only: [provider] }, ...more };
  expect(await providerOf(begin, headers)).toBe(provider);
}

describe('a conversation with a cached prompt', () => {
  it.each([
    ['', {}],
    [', also with a sort by price', { sort: 'price' }],
    [', also with a sort by latency', { sort: 'latency' }],
  ])('stays at the endpoint with its cache%s', async (_how, provider) => {
    const first = conversation();
    await begunAt('usual', first);

    expect(await providerOf({ messages: turn(first), provider })).toBe('usual');
  });

  it('stays there if it is streamed', async () => {
    const first = conversation();
    await begunAt('usual', first, { stream: true });

    expect(await providerOf({ messages: turn(first), stream: true })).toBe('usual');
  });

  it('goes to a cheaper endpoint if the cache is not worth the difference', async () => {
    const first = conversation();
    await begunAt('dear', first);

    expect(await providerOf({ messages: turn(first) })).toBe('cheap');
  });

  it('goes to the endpoint that the request prefers', async () => {
    const first = conversation();
    await begunAt('usual', first);

    expect(await providerOf({ messages: turn(first), provider: { order: ['dear'] } })).toBe('dear');
    expect(await providerOf({ messages: turn(first), provider: { ignore: ['usual'] } })).toBe('cheap');
  });

  it('goes to the cheapest endpoint if it begins anew', async () => {
    await begunAt('usual', conversation());

    expect(await providerOf({ messages: turn(conversation()) })).toBe('cheap');
  });

  it('stays with its model and endpoint if it sorts several models together', async () => {
    const first = conversation();
    const models = { models: ['test/twin'] };
    await begunAt('usual', first, models);

    const together = { sort: { by: 'price', partition: 'none' } };
    expect(await providerOf({ messages: turn(first), ...models, provider: together })).toBe('usual');
    expect(await providerOf({ messages: turn(conversation()), ...models, provider: together })).toBe('dear');
  });
});

describe('a session with an id from the client', () => {
  it.each([
    ['x-session-id', {}, { 'x-session-id': 'night-shift' }],
    ['x-claude-code-session-id', {}, { 'x-claude-code-session-id': '7d8c2a10' }],
    ['x-session-affinity', {}, { 'x-session-affinity': 'ses_1' }],
    ['session-id', {}, { 'session-id': '0198' }],
    ['session_id of the body', { session_id: 'my session' }, {}],
    ['metadata.user_id', { metadata: { user_id: 'user_1f_account__session_7d8c2a10-4c1e' } }, {}],
    ['metadata.user_id as JSON', { metadata: { user_id: '{"device_id":"1f","session_id":"7d8c2a10-aaaa"}' } }, {}],
  ])('in %s stays at the endpoint with its cache, however it is compacted', async (_where, fields, headers) => {
    await begunAt('usual', conversation(), fields, headers);

    expect(await providerOf({ messages: turn(conversation()), ...fields }, headers)).toBe('usual');
  });

  it('is separate for another key, or another list of models', async () => {
    const session = { session_id: randomUUID() };
    await begunAt('usual', conversation(), session);
    const stranger = await scripted.withLimit(100_000);

    expect(await providerOf({ messages: turn(conversation()), ...session }, {}, stranger)).toBe('cheap');
    expect(await providerOf({ messages: turn(conversation()), ...session, models: ['test/twin'] })).toBe('cheap');
  });

  it('is not sent to a provider', async () => {
    const sent: string[] = [];
    const messages = [{ role: 'user', content: conversation(sent) }];
    await providerOf({ messages, session_id: 'a-private-name', cache: 'auto' });

    expect(Object.keys(JSON.parse(sent[0]!) as object).toSorted()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'stream',
    ]);
    expect(sent[0]).not.toContain('a-private-name');
  });

  it.each([
    ['prompt_cache_key', { session_id: 'chat' }],
    ['user', { metadata: { user_id: '1' } }],
  ])('and an end user are digests that differ from another account: %s', async (field, fields) => {
    const sent: string[] = [];
    const { gateway } = scripted;
    const another = { ...gateway, ...(await newAccount(gateway.dataDirectory)) };
    for (const client of [gateway, await scripted.withLimit(100_000), another]) {
      const messages = [{ role: 'user', content: conversation(sent) }];
      await providerOf({ model: 'test/keyed', messages, ...fields }, {}, client);
    }
    const keys = sent.map((body) => (JSON.parse(body) as Record<string, string>)[field]);

    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it.each([
    ['session_id', { session_id: 'x'.repeat(257) }],
    ['cache', { cache: 'always' }],
  ])('is refused by name with a wrong %s', async (field, fields) => {
    const response = await fetch(`${scripted.gateway.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': scripted.gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content: 'Hi' }], ...fields }),
    });

    expect([response.status, await response.json()]).toMatchObject([400, { error: { metadata: { field } } }]);
  });
});

const marks = (body: string) => body.match(/"cache_control":\{"type":"ephemeral"\}/g)?.length ?? 0;

describe('cache: "auto"', () => {
  it('requests caching from the provider, and only then', async () => {
    const sent: string[] = [];
    const messages = turn(conversation(sent));
    const asked = { messages, system: 'Be brief.', tools: [{ name: 'look', input_schema: { type: 'object' } }] };

    await providerOf({ ...asked, cache: 'auto' });
    await providerOf(asked);

    expect(sent.map(marks)).toEqual([4, 0]);
  });

  it('costs the price of the cache write, and the record has the savings of caches', async () => {
    const client = await scripted.withLimit(100_000);
    const response = await fetch(`${client.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/model',
        max_tokens: 50,
        cache: 'auto',
        provider: { only: ['usual'] },
        messages: [{ role: 'user', content: conversation([], written) }],
      }),
    });
    await response.text();

    // 2,000 uncached tokens, 20,000 tokens written to the cache, and 5 of the answer.
    expect(await finalGeneration(scripted.gateway, generationId(response))).toMatchObject({
      total_cost: 54.01,
      cache_discount: -10,
    });
  });
});
