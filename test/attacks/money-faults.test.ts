import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generationKey } from '../../lambdas/store/generations.ts';
import { answer, dialects } from '../support/dialects.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { startHostileUpstream, type Behaviour, type HostileUpstream } from '../support/hostile-upstream.ts';
import { manage } from '../support/manage.ts';
import { replyOf } from '../support/messages-client.ts';

const PRICES = { prompt: '0.0001', completion: '0.01', input_cache_write: '0.0002' };
const timeouts = { connect_ms: 2_000, first_byte_ms: 5_000, idle_ms: 20_000 };
let directory: string;
let upstream: HostileUpstream;
let gateway: RunningGateway;

function provider(id: string, wire: string, more: object = {}) {
  return {
    id,
    name: id,
    wire,
    base_url: `${upstream.url}/${id}`,
    credential: 'HOSTILE_KEY',
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    timeouts,
    quirks: wire === 'anthropic' ? { count_tokens: true } : {},
    ...more,
  };
}
function model(id: string, endpoints: [string, object, object?][]) {
  return {
    id,
    permaslug: `${id}-1`,
    name: id,
    created: '2026-11-20',
    context_length: 1_000_000,
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    supported_parameters: ['structured_outputs', 'tools', 'reasoning'],
    endpoints: endpoints.map(([providerId, quirks, pricing], index) => ({
      id: `${id}/${index}`,
      provider: providerId,
      upstream_model: 'm',
      max_output_tokens: 100_000,
      pricing: { ...PRICES, ...pricing },
      quirks: { ...(providerId.startsWith('claude') ? { thinks_by_default: false } : {}), ...quirks },
    })),
  };
}
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-review-'));
  upstream = await startHostileUpstream();
  const catalog = join(directory, 'catalog');
  mkdirSync(join(catalog, 'models'), { recursive: true });
  writeFileSync(
    join(catalog, 'providers.json'),
    JSON.stringify({
      providers: [
        provider('gpt-a', 'openai-chat'),
        provider('gpt-b', 'openai-chat'),
        provider('claude-a', 'anthropic'),
      ],
    }),
  );
  const dearer = { completion: '0.02' };
  writeFileSync(
    join(catalog, 'models', 'rv.json'),
    JSON.stringify({
      models: [
        model('rv/gpt', [['gpt-a', {}]]),
        model('rv/gpt-o200k', [['gpt-a', { tokenizer: 'o200k' }]]),
        model('rv/claude', [['claude-a', {}]]),
        model('rv/hidden-then-open', [
          ['gpt-a', { hidden_reasoning: true }],
          ['gpt-b', {}, dearer],
        ]),
        model('rv/hidden-twice', [
          ['gpt-a', { hidden_reasoning: true }],
          ['gpt-b', { hidden_reasoning: true }, dearer],
        ]),
      ],
    }),
  );
  gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', catalog],
    env: { HOSTILE_KEY: 'abcdefghijkl', OUTPUT_STEP_TOKENS: '100', HOLD_PATIENCE_MS: '300' },
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop().catch((e) => console.log(String(e).slice(0, 600)));
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function newKey(limit: number): Promise<RunningGateway> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'test', limit });
  return { ...gateway, key: (body as { key: string }).key };
}
async function info(client: RunningGateway) {
  const response = await fetch(`${client.baseUrl}/key`, { headers: { 'x-api-key': client.key } });
  return ((await response.json()) as { data: { usage: number; limit_remaining: number } }).data;
}
function ask(client: RunningGateway, body: object, signal?: AbortSignal) {
  return fetch(`${client.baseUrl}/messages`, {
    method: 'POST',
    signal: signal ?? null,
    headers: { 'x-api-key': client.key, 'content-type': 'application/json' },
    body: JSON.stringify({ max_tokens: 50, ...body }),
  });
}
const T = () => gateway.table();
async function final(id: string) {
  const table = T();
  for (let i = 0; i < 400; i += 1) {
    const { Item } = await table.documents.send(
      new GetCommand({ TableName: table.name, Key: generationKey(gateway.accountId, id), ConsistentRead: true }),
    );
    if (Item?.['state'] === 'final') return Item;
    await sleep(25);
  }
  throw new Error('not final');
}
const says =
  (usage: { prompt: number; completion: number }): Behaviour =>
  async (x) => {
    const chat = `{"prompt_tokens":${usage.prompt},"completion_tokens":${usage.completion},"total_tokens":${usage.prompt + usage.completion}}`;
    const claude = `{"input_tokens":${usage.prompt},"output_tokens":1}`;
    await x.begin();
    const isChat = x.path.includes('chat');
    await x.send(
      x.dialect.opening(isChat ? undefined : claude) +
        x.dialect.text('ok') +
        x.dialect.reason(isChat ? chat : `{"output_tokens":${usage.completion}}`) +
        x.dialect.stop,
    );
    await x.finish();
  };

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) } };
const text = 'word '.repeat(80_000);

describe('a prompt that hides behind an image that is not sent', () => {
  it('is held as the text it is: chat wire', async () => {
    const client = await newKey(5);
    const marker = upstream.behaves(says({ prompt: 80_000, completion: 2 }));
    const response = await ask(client, {
      model: 'rv/gpt',
      messages: [{ role: 'user', content: [{ type: 'text', text: `${marker} ${text}`, content: [image] }] }],
    });
    if (response.status === 200) {
      const item = await final(response.headers.get('x-generation-id')!);
      console.log(
        'CHAT',
        response.status,
        'told 80000 prompt tokens = 8 RUB; charged',
        String(item['total_cost_rub']),
        'tokens',
        item['tokens_prompt'],
        'capped',
        item['capped'],
        'hold',
        String(item['hold_rub']),
      );
    }
    expect(response.status).toBe(402);
  });
  it('is held as the text it is: Anthropic wire', async () => {
    const client = await newKey(5);
    const marker = upstream.behaves(says({ prompt: 80_000, completion: 2 }));
    const response = await ask(client, {
      model: 'rv/claude',
      messages: [
        { role: 'user', content: `${marker} ${text}` },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', content: [image] },
            { type: 'text', text: 'ok' },
          ],
        },
        { role: 'user', content: 'go on' },
      ],
    });
    if (response.status === 200) {
      const item = await final(response.headers.get('x-generation-id')!);
      console.log(
        'CLAUDE',
        response.status,
        'charged',
        String(item['total_cost_rub']),
        'tokens',
        item['tokens_prompt'],
        'capped',
        item['capped'],
        'hold',
        String(item['hold_rub']),
      );
    }
    expect(response.status).toBe(402);
  });
});

it('counts the schema of an answer under its older name', async () => {
  const client = await newKey(5);
  const marker = upstream.behaves(says({ prompt: 70_000, completion: 2 }));
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'long words of a description here, '.repeat(10_000) } },
  };
  const response = await ask(client, {
    model: 'rv/gpt-o200k',
    messages: [{ role: 'user', content: marker }],
    output_format: { type: 'json_schema', schema },
  });
  if (response.status === 200) {
    const item = await final(response.headers.get('x-generation-id')!);
    console.log(
      'SCHEMA',
      'charged',
      String(item['total_cost_rub']),
      'tokens',
      item['tokens_prompt'],
      'capped',
      item['capped'],
      'hold',
      String(item['hold_rub']),
    );
  }
  expect(response.status).toBe(402);
});

it('charges the schema of an answer that the client gives up', async () => {
  const client = await newKey(500);
  const marker = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening() + x.dialect.text('hello there'));
    await x.closed;
  });
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'long words of a description here, '.repeat(10_000) } },
  };
  const leaving = new AbortController();
  const response = await ask(
    client,
    {
      stream: true,
      model: 'rv/gpt-o200k',
      messages: [{ role: 'user', content: marker }],
      output_config: { format: { type: 'json_schema', schema } },
    },
    leaving.signal,
  );
  await response.body!.getReader().read();
  leaving.abort();
  const item = await final(response.headers.get('x-generation-id')!);
  console.log('SCHEMA LEFT', String(item['total_cost_rub']), item['tokens_prompt']);
  expect(Number(item['tokens_prompt'])).toBeGreaterThan(10_000);
});

it('takes [DONE] without a reason for an end, as its words say', async () => {
  const client = await newKey(50);
  const marker = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening() + x.dialect.text('hello') + x.dialect.stop);
    await x.finish();
  });
  const reply = await replyOf(
    await ask(client, { stream: true, model: 'rv/gpt', messages: [{ role: 'user', content: marker }] }),
  );
  console.log('DONE', reply.error, reply.stopReason);
  expect(reply.error).toBeUndefined();
});

it('sends a budget of thinking that fits the shortened answer', async () => {
  const client = await newKey(5);
  let sent: any;
  const marker = upstream.behaves(async (x) => {
    if (!x.path.includes('count')) sent = JSON.parse(x.body);
    await x.begin();
    await x.send(answer(x.dialect, 'ok'));
    await x.finish();
  });
  const response = await ask(client, {
    model: 'rv/claude',
    max_tokens: 31_000,
    thinking: { type: 'enabled', budget_tokens: 30_000 },
    messages: [{ role: 'user', content: marker }],
  });
  console.log('BUDGET', response.status, sent?.max_tokens, sent?.thinking);
  expect(sent.thinking.budget_tokens).toBeLessThan(sent.max_tokens);
});

describe('fallback', () => {
  const soundB = (x: any) => x.path.includes('gpt-b');
  it('is free when the endpoint that failed last does not think unseen', async () => {
    const client = await newKey(5_000);
    const marker = upstream.behaves(async (x) => {
      if (!soundB(x)) return x.respond('500 Oops', {}, '{}');
      return x.closed;
    });
    const response = await ask(client, {
      model: 'rv/hidden-then-open',
      messages: [{ role: 'user', content: marker }],
      max_tokens: 1000,
    });
    const item = await final(response.headers.get('x-generation-id')!);
    console.log(
      'FALLBACK SILENT',
      response.status,
      String(item['total_cost_rub']),
      item['endpoint_id'],
      item['ending'],
    );
    expect(Number(item['total_cost_rub'])).toBe(0);
  }, 20_000);
  it('does not charge the time of the endpoint that failed as thinking of the one that answered', async () => {
    const client = await newKey(5_000);
    const marker = upstream.behaves(async (x) => {
      if (!soundB(x)) {
        await sleep(4_500);
        return x.respond('500 Oops', {}, '{}');
      }
      await x.begin();
      await x.send(x.dialect.opening() + x.dialect.text('hello there'));
      return x.closed;
    });
    const leaving = new AbortController();
    const response = await ask(
      client,
      { stream: true, model: 'rv/hidden-twice', messages: [{ role: 'user', content: marker }], max_tokens: 1000 },
      leaving.signal,
    );
    await response.body!.getReader().read();
    leaving.abort();
    const item = await final(response.headers.get('x-generation-id')!);
    console.log('FALLBACK TIME', String(item['total_cost_rub']), item['tokens_completion'], item['endpoint_id']);
    expect(Number(item['tokens_completion'])).toBeLessThan(20);
  }, 20_000);
});

it('charges thinking before a refusal', async () => {
  const client = await newKey(5_000);
  const e = dialects.anthropic.event;
  const marker = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(
      e(
        '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}',
      ) +
        e('{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}') +
        e(
          `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"${'x'.repeat(5000)}"}}`,
        ) +
        e('{"type":"content_block_stop","index":0}') +
        e(
          '{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null},"usage":{"output_tokens":3000,"output_tokens_details":{"thinking_tokens":3000}}}',
        ) +
        x.dialect.stop,
    );
    await x.finish();
  });
  const response = await ask(client, {
    model: 'rv/claude',
    max_tokens: 4_000,
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: marker }],
  });
  const item = await final(response.headers.get('x-generation-id')!);
  console.log('REFUSAL', String(item['total_cost_rub']), item['tokens_completion']);
  expect(Number(item['total_cost_rub'])).toBeGreaterThan(0);
});

it('does not change a hold that is about to be settled', async () => {
  const client = await newKey(5);
  const marker = upstream.behaves(async (x) => {
    await x.begin();
    await x.send(x.dialect.opening() + x.dialect.text('ok'));
    await sleep(30);
    await x.send(x.dialect.reason('{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}') + x.dialect.stop);
    await x.finish();
  });
  const response = await ask(client, {
    model: 'rv/gpt',
    messages: [{ role: 'user', content: `${marker} ${'word '.repeat(2_000)}` }],
  });
  const item = await final(response.headers.get('x-generation-id')!);
  console.log('SHRINK AT END steps', String(item['hold_steps']));
  expect(Number(item['hold_steps'])).toBe(1);
});

it('notes no estimate that is more than the hold', async () => {
  const client = await newKey(50);
  let item: any;
  const marker = upstream.behaves(async (x) => {
    if (x.path.includes('count'))
      return x.respond('200 OK', { 'content-type': 'application/json' }, '{"input_tokens":2000}');
    await x.begin();
    await x.send(x.dialect.opening('{}'));
    await sleep(600);
    await x.send(x.dialect.text('ok') + x.dialect.reason() + x.dialect.stop);
    await x.finish();
  });
  const icon = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
  const response = await ask(client, {
    stream: true,
    model: 'rv/claude',
    messages: [
      { role: 'user', content: [{ type: 'text', text: marker }, pdf, ...Array.from({ length: 100 }, () => icon)] },
    ],
  });
  const id = response.headers.get('x-generation-id')!;
  const table = T();
  item = (
    await table.documents.send(
      new GetCommand({ TableName: table.name, Key: generationKey(gateway.accountId, id), ConsistentRead: true }),
    )
  ).Item;
  console.log('ESTIMATE', String(item['input_cost_estimate_rub']), 'HOLD', String(item['hold_rub']));
  await response.text();
  const done = await final(id);
  console.log(
    'ESTIMATE final capped',
    done['capped'],
    'estimated',
    done['estimated'],
    gateway.log().includes('usage beyond the hold'),
  );
  expect(Number(item['input_cost_estimate_rub'])).toBeLessThanOrEqual(Number(item['hold_rub']));
});
