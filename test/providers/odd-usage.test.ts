/** An answer must never fail because of its usage, and each known count must be charged once. */

import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import type { AnswerBatch } from '../../lambdas/messages/types.ts';
import { Money } from '../../lambdas/money/money.ts';
import { bedrockConverseWire } from '../../lambdas/providers/bedrock-converse/wire.ts';
import { googleGeminiWire } from '../../lambdas/providers/google-gemini/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { openaiResponsesWire } from '../../lambdas/providers/openai-responses/wire.ts';
import type { DecodeContext, MessagesWire } from '../../lambdas/providers/wire.ts';
import { bytesOf } from './streams.ts';

/** Prices per token: 10 for the prompt, 1 for reads from a cache, 100 for the answer. */
const pricing = { prompt: Money.parse('10'), completion: Money.parse('100'), input_cache_read: Money.parse('1') };

const context: DecodeContext = {
  target: { providerId: 'test', upstreamModel: 'm', maxOutputTokens: 1_000, supportedParameters: [], quirks: {} },
  request: { model: 'm', messages: [] },
  estimatedInputTokens: 7,
};

interface Speech {
  wire: MessagesWire;
  /** Returns a whole answer whose text is the four bytes "Four". */
  whole: (usage: unknown) => object;
  streamed: (usage: unknown) => string;
  /** The wire's documented form: 100 tokens of the prompt, 900 read from a cache, 13 of the answer. */
  usual: object;
}

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: 'Four' }] };
const gemini = (usageMetadata: unknown) => ({
  candidates: [{ content: { parts: [{ text: 'Four' }] }, finishReason: 'STOP' }],
  usageMetadata,
});

const speeches: Record<string, Speech> = {
  'openai-chat': {
    wire: openaiChatWire,
    whole: (usage) => ({ choices: [{ message: { content: 'Four' }, finish_reason: 'stop' }], usage }),
    streamed: (usage) =>
      sse({ choices: [{ delta: { content: 'Four' }, finish_reason: 'stop' }] }, { choices: [], usage }),
    usual: { prompt_tokens: 1_000, completion_tokens: 13, prompt_tokens_details: { cached_tokens: 900 } },
  },
  'openai-responses': {
    wire: openaiResponsesWire,
    whole: (usage) => ({ status: 'completed', output: [item], usage }),
    streamed: (usage) => sse({ type: 'response.completed', response: { status: 'completed', output: [item], usage } }),
    usual: { input_tokens: 1_000, output_tokens: 13, input_tokens_details: { cached_tokens: 900 } },
  },
  'google-gemini': {
    wire: googleGeminiWire,
    whole: gemini,
    streamed: (usage) => sse(gemini(usage)),
    usual: { promptTokenCount: 1_000, candidatesTokenCount: 13, cachedContentTokenCount: 900 },
  },
  'bedrock-converse': {
    wire: bedrockConverseWire,
    whole: (usage) => ({ output: { message: { content: [{ text: 'Four' }] } }, stopReason: 'end_turn', usage }),
    streamed: (usage) =>
      [
        'messageStart {"role":"assistant"}',
        'contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"Four"}}',
        'messageStop {"stopReason":"end_turn"}',
        `metadata ${JSON.stringify({ usage })}`,
      ].join('\n'),
    usual: { inputTokens: 100, cacheReadInputTokens: 900, outputTokens: 13 },
  },
};

function charged(batches: readonly AnswerBatch[], prices: Pricing = pricing) {
  const meter = new UsageMeter({ estimatedInputTokens: 7, promptCountedAtStart: false });
  for (const { events, usage } of batches) {
    for (const { data } of events) meter.observe(data);
    if (usage) meter.addReported(usage);
  }
  const { usage, estimated } = meter.usage();
  return { cost: priceUsage(usage, prices).total.toString(), estimated, unpriced: [...meter.unpriced] };
}

async function chargedForStream(wire: MessagesWire, stream: string, prices?: Pricing) {
  async function* body() {
    yield await Promise.resolve(bytesOf(stream));
  }
  const batches: AnswerBatch[] = [];
  for await (const batch of wire.decode(body(), context)) batches.push(batch);
  return charged(batches, prices);
}

const odd = ['unavailable', 7, true, [], [{ prompt_tokens: 5 }], {}, null, undefined];

describe.each(Object.entries(speeches))('usage over %s', (_name, { wire, whole, streamed, usual }) => {
  it('is charged as reported, streamed and whole', async () => {
    const billed = { cost: '3200', estimated: false, unpriced: [] };

    expect(charged([wire.decodeWhole(whole(usual), context)!])).toEqual(billed);
    expect(await chargedForStream(wire, streamed(usual))).toEqual(billed);
  });

  it.each(odd)('of the form %j counts as not reported, and the answer stays complete', async (usage) => {
    // The cost is 7 × 10 + 1 × 100: seven estimated tokens of the prompt, and one of the answer.
    const billed = { cost: '170', estimated: true, unpriced: [] };

    expect(charged([wire.decodeWhole(whole(usage), context)!])).toEqual(billed);
    expect(await chargedForStream(wire, streamed(usage))).toEqual(billed);
  });

  it.each(['13', 13.5, -13, 1e30, null, {}])('is estimated if its counts are %j', async (count) => {
    const counts = Object.fromEntries(Object.keys(usual).map((name) => [name, count]));

    expect(await chargedForStream(wire, streamed(counts))).toMatchObject({ cost: '170', estimated: true });
  });
});

describe('usage of chat completions', () => {
  const { wire, whole, streamed, usual } = speeches['openai-chat']!;

  it.each([
    ['beside an empty one', { usage: {}, x_groq: { usage: usual } }],
    ['beside a text', { usage: 'see x_groq', x_groq: { usage: usual } }],
    [
      'in a choice, beside an empty one',
      { usage: {}, choices: [{ message: { content: 'Four' }, finish_reason: 'stop', usage: usual }] },
    ],
    [
      'in a choice, beside zeros',
      {
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
        choices: [{ message: { content: 'Four' }, finish_reason: 'stop', usage: usual }],
      },
    ],
  ])('is found %s', (_place, more) => {
    expect(charged([wire.decodeWhole({ ...whole(undefined), ...more }, context)!])).toMatchObject({ cost: '3200' });
  });

  it.each([
    { num_cached_tokens: 900 },
    { prompt_token_details: { cached_tokens: 900 } },
    { num_cached_tokens: 900, prompt_token_details: { cached_tokens: 900 } },
  ])('has cached tokens in the fields of Mistral: %j', async (cached) => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 13, total_tokens: 1_013, ...cached };

    expect(await chargedForStream(wire, streamed(usage))).toEqual({ cost: '3200', estimated: false, unpriced: [] });
  });

  // Names of Alibaba, LiteLLM (https://github.com/BerriAI/litellm/pull/36762) and New API
  // (https://github.com/QuantumNous/new-api), next to OpenAI's own.
  it.each(['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens', 'cached_creation_tokens'])(
    'has tokens that were written to a cache in %s',
    async (name) => {
      const usage = { prompt_tokens: 1_000, completion_tokens: 13, prompt_tokens_details: { [name]: 900 } };
      const written = { ...pricing, input_cache_write: Money.parse('20') };

      expect(await chargedForStream(wire, streamed(usage), written)).toMatchObject({ cost: '20300' });
    },
  );

  it('reports a tier that has another price', async () => {
    const { unpriced } = await chargedForStream(wire, streamed({ ...usual, service_tier: 'priority' }));

    expect(unpriced).toEqual(['service_tier']);
  });

  it.each([
    ['in an answer without usage', sse({ ...whole(undefined), service_tier: 'priority' })],
    ['after the usage', streamed(usual) + sse({ choices: [], service_tier: 'priority' })],
  ])('reports a tier that has another price %s', async (_place, stream) => {
    expect(await chargedForStream(wire, stream)).toMatchObject({ unpriced: ['service_tier'] });
  });
});

describe('usage of the Responses API', () => {
  const { wire, whole, streamed } = speeches['openai-responses']!;

  it('reports a tier that has another price in an answer without usage', async () => {
    const response = { ...whole(undefined), service_tier: 'priority' };

    expect(charged([wire.decodeWhole(response, context)!])).toMatchObject({ cost: '170', unpriced: ['service_tier'] });
    expect(await chargedForStream(wire, sse({ type: 'response.completed', response }))).toMatchObject({
      cost: '170',
      unpriced: ['service_tier'],
    });
  });

  it('is read under the names of chat completions, which relays leave in it', async () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 13, prompt_tokens_details: { cached_tokens: 900 } };

    expect(await chargedForStream(wire, streamed(usage))).toEqual({ cost: '3200', estimated: false, unpriced: [] });
  });
});

describe('usage of Gemini', () => {
  const { wire, streamed, usual } = speeches['google-gemini']!;

  it('has the cached tokens that only the first events of a stream report', async () => {
    const early = { candidates: [{ content: { parts: [] } }], usageMetadata: { cachedContentTokenCount: 900 } };
    const last = { promptTokenCount: 1_000, candidatesTokenCount: 13, totalTokenCount: 1_013 };

    expect(await chargedForStream(wire, sse(early) + streamed(last))).toMatchObject({ cost: '3200', estimated: false });
    expect(await chargedForStream(wire, sse(early) + streamed({}))).toMatchObject({ cost: '170', estimated: true });
  });

  it.each([
    ['thoughts alone', { promptTokenCount: 100, thoughtsTokenCount: 13 }, '2300'],
    ['no prompt count, which follows from the total', { candidatesTokenCount: 13, totalTokenCount: 113 }, '2300'],
    [
      'no prompt beside tokens from a cache',
      { candidatesTokenCount: 13, totalTokenCount: 1_013, cachedContentTokenCount: 900 },
      '3200',
    ],
    [
      'a prompt and a total without the tokens from a cache',
      { promptTokenCount: 100, candidatesTokenCount: 13, totalTokenCount: 113, cachedContentTokenCount: 900 },
      '3200',
    ],
    [
      'only a prompt without the tokens from a cache',
      { promptTokenCount: 100, candidatesTokenCount: 13, totalTokenCount: 1_013, cachedContentTokenCount: 900 },
      '3200',
    ],
    [
      'a prompt and a total without the tokens from a cache, and no answer',
      { promptTokenCount: 100, totalTokenCount: 113, cachedContentTokenCount: 900 },
      '3200',
    ],
    [
      'prompts of tools',
      { promptTokenCount: 60, toolUsePromptTokenCount: 40, candidatesTokenCount: 13, totalTokenCount: 113 },
      '2300',
    ],
  ])('with %s is charged whole', async (_form, usage, cost) => {
    expect(await chargedForStream(wire, streamed(usage))).toEqual({ cost, estimated: false, unpriced: [] });
  });

  it.each([
    [{ trafficType: 'ON_DEMAND' }, []],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, []],
    [{ serviceTier: 'STANDARD' }, []],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, ['service_tier']],
    [{ trafficType: 'ON_DEMAND_FLEX' }, ['service_tier']],
    [{ serviceTier: 'PRIORITY' }, ['service_tier']],
  ])('reports a tier if it has no price: %j', async (tier, unpriced) => {
    expect(await chargedForStream(wire, streamed({ ...usual, ...tier }))).toMatchObject({ unpriced });
  });
});

describe('usage of Converse', () => {
  const { wire, whole, streamed, usual } = speeches['bedrock-converse']!;

  it('without an output count has the rest of the total after the prompt', async () => {
    const usage = { inputTokens: 100, cacheReadInputTokens: 900, totalTokens: 1_013 };

    expect(await chargedForStream(wire, streamed(usage))).toEqual({ cost: '3200', estimated: false, unpriced: [] });
  });

  it.each([
    [{ serviceTier: { type: 'default' }, performanceConfig: { latency: 'standard' } }, []],
    [{ serviceTier: { type: 'priority' } }, ['service_tier']],
    [{ serviceTier: { type: 'flex' } }, ['service_tier']],
    [{ performanceConfig: { latency: 'optimized' } }, ['service_tier']],
  ])('reports a tier if it has no price: %j', async (metadata, unpriced) => {
    const stream = streamed(usual).replace(/metadata .*/, `metadata ${JSON.stringify({ usage: usual, ...metadata })}`);

    expect(charged([wire.decodeWhole({ ...whole(usual), ...metadata }, context)!])).toMatchObject({ unpriced });
    expect(await chargedForStream(wire, stream)).toMatchObject({ cost: '3200', unpriced });
  });
});
