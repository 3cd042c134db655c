import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { textModel } from '../support/catalog.ts';
import { answer } from '../support/dialects.ts';
import { finalGeneration, said } from '../support/gateway.ts';
import type { Behavior } from '../support/hostile-upstream.ts';
import { askFor, generationId, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

/** The hold before an answer must cover everything that the provider can charge, and no more than the key can pay. */
let scripted: ScriptedGateway;
beforeAll(async () => {
  const priced = {
    max_output_tokens: 100_000,
    pricing: { prompt: '0.0001', completion: '0.01', input_cache_write: '0.0002' },
  };
  const more = {
    context_length: 1_000_000,
    input_modalities: ['text', 'image'],
    supported_parameters: ['structured_outputs', 'tools', 'reasoning'],
  };
  scripted = await startScriptedGateway({
    providers: [
      { id: 'gpt', wire: 'openai-chat' },
      { id: 'claude', wire: 'anthropic', quirks: { count_tokens: true } },
    ],
    models: [
      textModel('test/gpt', [{ ...priced, provider: 'gpt' }], more),
      textModel('test/gpt-o200k', [{ ...priced, provider: 'gpt', quirks: { tokenizer: 'o200k' } }], more),
      textModel('test/claude', [{ ...priced, provider: 'claude', quirks: { thinks_by_default: false } }], more),
    ],
    env: { OUTPUT_STEP_TOKENS: '100', HOLD_PATIENCE_MS: '300' },
  });
});
afterAll(() => scripted.stop());

const isCount = (path: string) => path.endsWith('/count_tokens');
const imageOf = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };

/**
 * Answers every request with a stream, also a request for a token count. The gateway cannot read a stream as a count,
 * so the size of the prompt determines the hold.
 */
const answering: Behavior = async ({ begin, send, finish, dialect }) => {
  await begin();
  await send(answer(dialect, 'ok'));
  await finish();
};

describe('a prompt next to an image that is not sent', () => {
  /** 5 RUB do not pay for the 80,000 tokens; the image has the same number of bytes. */
  const words = 'word '.repeat(80_000);
  const image = imageOf('A'.repeat(words.length));

  it('is held with its text over openai-chat', async () => {
    const client = await scripted.withLimit(5);

    const { status } = await askFor(client, {
      model: 'test/gpt',
      messages: [{ role: 'user', content: [{ type: 'text', text: words, content: [image] }] }],
    });

    expect(status).toBe(402);
  });

  it('is held with its text over anthropic', async () => {
    const client = await scripted.withLimit(5);
    const hiding = { type: 'thinking', thinking: '', content: [image] };

    const { status } = await askFor(client, {
      model: 'test/claude',
      messages: [
        said(`${scripted.behaves(answering)} ${words}`),
        { role: 'assistant', content: [hiding, { type: 'text', text: 'ok' }] },
        said('Go on'),
      ],
    });

    expect(status).toBe(402);
  });
});

describe('a schema of arguments', () => {
  it('is held with all copies of a property to which others refer', async () => {
    const client = await scripted.withLimit(3);
    // 3 RUB pay for about 10,000 tokens, which the provider gets several times.
    const first = { type: 'string', description: 'word '.repeat(10_000) };
    const others = Array.from({ length: 20 }, (_, index) => [`p${index}`, { $ref: '#/properties/first' }]);
    const schema = { type: 'object', properties: { first, ...Object.fromEntries(others) } };

    const { status } = await askFor(client, {
      model: 'test/gpt-o200k',
      tools: [{ name: 'look', input_schema: schema }],
      messages: [said(scripted.behaves(answering))],
    });

    expect(status).toBe(402);
  });
});

describe('the schema of an answer', () => {
  it('is held also under its older name', async () => {
    const client = await scripted.withLimit(5);
    const description = 'long words of a description here, '.repeat(10_000);
    const schema = { type: 'object', properties: { a: { type: 'string', description } } };

    const { status } = await askFor(client, {
      model: 'test/gpt-o200k',
      messages: [said('Hello')],
      output_format: { type: 'json_schema', schema },
    });

    expect(status).toBe(402);
  });
});

describe('a budget of thinking', () => {
  it.each([
    [40, { type: 'enabled', budget_tokens: expect.any(Number) }],
    [5, { type: 'disabled' }],
  ])('fits the answer that %i RUB pay for', async (limitRub, thinking) => {
    const client = await scripted.withLimit(limitRub);
    let sent: { max_tokens: number; thinking: { budget_tokens?: number } } | undefined;
    const marker = scripted.behaves((exchange) => {
      if (!isCount(exchange.path)) sent = JSON.parse(exchange.body) as typeof sent;
      return answering(exchange);
    });

    const { status } = await askFor(client, {
      model: 'test/claude',
      max_tokens: 31_000,
      thinking: { type: 'enabled', budget_tokens: 30_000 },
      messages: [said(marker)],
    });

    expect(status).toBe(200);
    expect(sent).toMatchObject({ thinking });
    expect(sent!.thinking.budget_tokens ?? 0).toBeLessThan(sent!.max_tokens);
  });
});

/** After this pause in ms, the gateway reads the next output separately from the earlier output. */
const READ_BY_ITSELF_MS = 30;

describe('a hold', () => {
  it.each([
    ['with its last event', 0],
    ['just before its last event', 50],
  ])('is unchanged shortly before its settlement: the prompt was counted %s', async (_when, pauseMs) => {
    const { gateway, behaves, withLimit } = scripted;
    const client = await withLimit(5);
    // The provider reports far fewer prompt tokens than were held.
    const marker = behaves(async ({ begin, send, finish, dialect }) => {
      await begin();
      await send(dialect.opening() + dialect.text('ok'));
      await sleep(READ_BY_ITSELF_MS);
      await send(dialect.reason());
      if (pauseMs > 0) await sleep(pauseMs);
      await send(dialect.stop);
      await finish();
    });

    const response = await askFor(client, {
      model: 'test/gpt',
      messages: [said(`${marker} ${'word '.repeat(2_000)}`)],
    });

    await finalGeneration(client, generationId(response));
    const record = await readGeneration(gateway.table(), gateway.accountId, generationId(response));
    expect(record!.hold.steps).toBe(1);
  });

  it('covers the estimated charge after a crash of the gateway', async () => {
    const { gateway, behaves, withLimit } = scripted;
    const client = await withLimit(50);
    const isLookedAt = Promise.withResolvers<void>();
    const marker = behaves(async ({ path, respond, begin, send, finish, dialect }) => {
      if (isCount(path)) return respond('200 OK', { 'content-type': 'application/json' }, '{"input_tokens":2000}');
      await begin();
      await send(dialect.opening('{}'));
      await isLookedAt.promise;
      await send(dialect.text('ok') + dialect.reason() + dialect.stop);
      return finish();
    });
    // The estimate of these blocks is far above the provider's count.
    const media = [pdf, ...Array.from({ length: 100 }, () => imageOf('AAAA'))];

    const response = await askFor(client, {
      stream: true,
      model: 'test/claude',
      messages: [{ role: 'user', content: [{ type: 'text', text: marker }, ...media] }],
    });

    const record = await readGeneration(gateway.table(), gateway.accountId, generationId(response));
    isLookedAt.resolve();
    await response.text();
    expect(record!.inputEstimate.cost.exceeds(record!.hold.amount)).toBe(false);
  });
});
