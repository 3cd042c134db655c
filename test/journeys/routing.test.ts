import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { finalGeneration, get } from '../support/gateway.ts';
import type { Behavior, Exchange } from '../support/hostile-upstream.ts';
import { askFor, generationId, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

const price = (prompt: string) => ({ prompt, completion: prompt });
const noData = { logs_prompts: false, trains_on_prompts: false, retention_days: 0 };

const ofThreeProviders = (id: string) =>
  textModel(
    id,
    [
      { provider: 'dear', pricing: price('0.003'), quantization: 'bf16' },
      { provider: 'cheap', pricing: price('0.001'), quantization: 'fp8' },
      {
        provider: 'usual',
        pricing: { ...price('0.002'), overrides: [{ min_prompt_tokens: 1_000, prompt: '0.009' }] },
      },
    ],
    { supported_parameters: ['max_tokens', 'temperature'], distillable_text: true },
  );

let scripted: ScriptedGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway({
    providers: [
      { id: 'cheap', wire: 'openai-chat', data_policy: { logs_prompts: true, trains_on_prompts: false } },
      { id: 'usual', wire: 'anthropic', data_policy: { ...noData, retention_days: 7 } },
      { id: 'dear', wire: 'openai-chat', data_policy: noData },
      { id: 'locked', wire: 'openai-chat', credential: 'NOBODY_HAS_SET_THIS_KEY' },
    ],
    models: [
      // An endpoint that has failed is tried last for a while, so each test of failures uses its own model.
      ...['test/three-ways', 'test/failing', 'test/ailing'].map(ofThreeProviders),
      textModel('test/other', [{ provider: 'usual', pricing: price('0.0005') }]),
      textModel(
        'test/preferring',
        [
          { provider: 'cheap', pricing: price('0.001') },
          { provider: 'usual', pricing: price('0.002') },
        ],
        {
          routing: { order: ['usual'] },
        },
      ),
      textModel('test/locked', [{ provider: 'locked', pricing: price('0.001') }]),
    ],
  });
});
afterAll(() => scripted.stop());

const refuse =
  (status: string): Behavior =>
  ({ dialect, respond }) =>
    respond(status, {}, dialect.refusal('api_error', '"Not now"'));

async function answerSoundly({ dialect, begin, send, finish }: Exchange): Promise<void> {
  await begin();
  await send(dialect.opening() + dialect.text('Fine.') + dialect.reason() + dialect.stop);
  await finish();
}

/** Returns a text for a prompt to which providers behave as specified; providers without a behavior answer normally. */
function promptTo(behaviors: Record<string, Behavior>): string {
  return scripted.behaves((exchange) => (behaviors[exchange.path.split('/')[1]!] ?? answerSoundly)(exchange));
}

interface Answered {
  status: number;
  provider: unknown;
  body: { model?: string; error?: { message: string; metadata: Record<string, unknown> } };
  record: () => Promise<Record<string, unknown>>;
}

async function ask(body: object, words = 'Hello'): Promise<Answered> {
  const response = await askFor(scripted.gateway, {
    model: 'test/three-ways',
    messages: [{ role: 'user', content: words }],
    ...body,
  });
  const answer = (await response.json()) as Answered['body'];
  const record = () => finalGeneration(scripted.gateway, generationId(response));
  const provider = response.status === 200 ? (await record())['provider_name'] : undefined;
  return { status: response.status, provider, body: answer, record };
}

describe('an endpoint that does not support a request', () => {
  const pdf = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  };
  const messages = [{ role: 'user', content: [pdf] }];

  // The prompt contains a PDF, which the cheap provider does not accept.
  it.each([
    ['', undefined],
    [', although only one may be tried', { allow_fallbacks: false }],
  ])('is skipped in favor of another one%s', async (_how, provider) => {
    const { status, provider: answered } = await ask({ messages, provider });
    expect([status, answered]).toEqual([200, 'usual']);
  });
});

describe('a routing preference of the request', () => {
  it.each([
    ['none', {}, 'cheap'],
    ['null', { only: null, sort: null }, 'cheap'],
    ['order', { order: ['dear'] }, 'dear'],
    ['order, with an endpoint by its tag', { order: ['dear/bf16'] }, 'dear'],
    ['only', { only: ['usual', 'dear'] }, 'usual'],
    ['ignore', { ignore: ['cheap'] }, 'usual'],
    ['allow_fallbacks', { allow_fallbacks: false }, 'cheap'],
    ['require_parameters', { require_parameters: true }, 'cheap'],
    ['data_collection', { data_collection: 'deny' }, 'usual'],
    ['zdr', { zdr: true }, 'dear'],
    ['enforce_distillable_text', { enforce_distillable_text: true }, 'cheap'],
    ['quantizations', { quantizations: ['bf16', 'unknown'] }, 'usual'],
    ['sort by price', { sort: 'price' }, 'cheap'],
    ['sort by latency without measurements', { sort: { by: 'latency' } }, 'cheap'],
    ['preferred_min_throughput', { preferred_min_throughput: 10 }, 'cheap'],
    ['preferred_max_latency', { preferred_max_latency: { p90: 3 } }, 'cheap'],
    [
      'max_price, at which the cheap one fits exactly',
      { max_price: { prompt: 1_000, completion: '1000' }, order: ['dear'] },
      'cheap',
    ],
  ])('%s', async (_name, provider, expected) => {
    expect(await ask({ provider })).toMatchObject({ status: 200, provider: expected });
  });

  it.each([
    ['only', { only: ['locked'] }],
    ['ignore', { ignore: ['cheap', 'usual', 'dear'] }],
    ['order', { order: ['locked'], allow_fallbacks: false }],
    ['quantizations', { quantizations: ['int4'] }],
    ['max_price', { max_price: { prompt: 999.999999 } }],
    ['max_price', { max_price: { completion: '0.000001' } }],
  ])('%s is refused by name if no endpoint fits', async (excludedBy, provider) => {
    const { status, body } = await ask({ provider });

    expect([status, body.error!.metadata['excluded_by']]).toEqual([404, [excludedBy]]);
  });

  it('require_parameters is refused by name if no endpoint fits', async () => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const { status, body } = await ask({ provider: { require_parameters: true }, tools });

    expect([status, body.error!.metadata['excluded_by']]).toEqual([404, ['require_parameters']]);
  });

  it('max_price uses the price of a prompt of that length', async () => {
    const provider = { only: ['usual'], max_price: { prompt: 2_000 } };

    expect((await ask({ provider })).status).toBe(200);
    expect((await ask({ provider }, 'word '.repeat(3_000))).status).toBe(404);
  });

  it.each([
    ['an unknown field', { orders: ['dear'] }, 'provider.orders'],
    ['an unknown provider', { only: ['cheap', 'nobody'] }, 'provider.only.1'],
    ['a sort by an unmeasured value', { sort: 'exacto' }, 'provider.sort'],
    ['an invalid amount', { max_price: { prompt: 'free' } }, 'provider.max_price.prompt'],
    ['a negative amount', { max_price: { request: -1 } }, 'provider.max_price.request'],
    ['an invalid cutoff', { preferred_max_latency: 0 }, 'provider.preferred_max_latency'],
    ['too many providers', { order: Array.from({ length: 65 }, () => 'dear') }, 'provider.order'],
  ])('is refused with %s', async (_what, provider, field) => {
    const { status, body } = await ask({ provider });

    expect([status, body.error!.metadata['field']]).toEqual([400, field]);
  });

  it('applies to token counts as well', async () => {
    const response = await fetch(`${scripted.gateway.baseUrl}/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': scripted.gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/three-ways',
        messages: [{ role: 'user', content: 'Hi' }],
        provider: { only: ['locked'] },
      }),
    });

    expect(response.status).toBe(404);
  });
});

describe('other models of a request', () => {
  it('are not tried if the order excludes them: the last failure is returned, and costs nothing', async () => {
    const { status, body, record } = await ask(
      {
        model: 'test/failing',
        models: ['test/other'],
        provider: { order: ['cheap', 'dear'], allow_fallbacks: false },
      },
      promptTo({ cheap: refuse('503 Busy'), dear: refuse('429 Slow') }),
    );

    expect([status, body.error!.metadata['provider_name']]).toEqual([429, 'dear']);
    expect((await record())['total_cost']).toBe(0);
  });

  it('are tried in order after every endpoint of the first has failed, and the answering one is named and billed', async () => {
    const answered = await ask(
      { model: 'test/ailing', models: ['test/other'] },
      promptTo({ cheap: refuse('503 Busy'), dear: refuse('429 Slow'), usual: answerOnSecond() }),
    );

    expect([answered.status, answered.body.model]).toEqual([200, 'test/other']);
    const { total_cost: cost, provider_responses: attempts } = await answered.record();
    expect(cost).toBe(0.0005 * 15);
    expect(attempts).toMatchObject([
      { provider_name: 'cheap', status: 503, total_cost: 0 },
      { provider_name: 'usual', status: 500, total_cost: 0 },
      { provider_name: 'dear', status: 429, total_cost: 0 },
      { provider_name: 'usual', status: 200, model_permaslug: 'test/other-1', total_cost: 0.0005 * 15 },
    ]);
  });

  it('may answer a request that the first refuses', async () => {
    const words = promptTo({ cheap: refuse('400 Bad') });

    expect(await ask({ models: ['test/other'] }, words)).toMatchObject({
      status: 200,
      provider: 'usual',
      body: { model: 'test/other' },
    });
  });

  it('replace a model without a usable endpoint', async () => {
    expect(await ask({ model: 'test/locked', models: ['test/other'] })).toMatchObject({
      body: { model: 'test/other' },
    });
  });

  it('are sorted together with the first model if the request has partition: "none"', async () => {
    const provider = { sort: { by: 'price', partition: 'none' } };

    expect(await ask({ models: ['test/other'], provider })).toMatchObject({ body: { model: 'test/other' } });
    expect(await ask({ models: ['test/other'], provider: { sort: 'price' } })).toMatchObject({
      body: { model: 'test/three-ways' },
    });
  });

  it.each([
    ['do not exist', ['test/nothing'], 404, 'models.0'],
    ['have another modality', ['sandbox/filmmaker'], 404, 'models.0'],
    ['are too many', ['a/a', 'b/b', 'c/c', 'd/d'], 400, 'models'],
  ])('are refused if they %s', async (_what, models, status, field) => {
    const { status: answered, body } = await ask({ models });

    expect([answered, body.error!.metadata['field']]).toEqual([status, field]);
  });
});

describe('the suffix of a model', () => {
  it.each([
    [':floor', 'cheap'],
    [':nitro', 'cheap'],
  ])('%s sorts its endpoints, and is not part of its name', async (suffix, provider) => {
    const answered = await ask({ model: `test/three-ways${suffix}` });

    expect(answered).toMatchObject({ status: 200, provider, body: { model: 'test/three-ways' } });
  });

  it.each([
    [':online', {}, 400, 'model'],
    [':sideways', {}, 404, 'model'],
    [':floor', { provider: { sort: 'latency' } }, 400, 'provider.sort'],
  ])('%s is refused if it is not supported or contradicts the request', async (suffix, more, status, field) => {
    const { status: answered, body } = await ask({ model: `test/three-ways${suffix}`, ...more });

    expect([answered, body.error!.metadata['field']]).toEqual([status, field]);
  });
});

describe('a model with its own routing', () => {
  it('is routed by it unless the request has preferences', async () => {
    expect(await ask({ model: 'test/preferring' })).toMatchObject({ provider: 'usual' });
    expect(await ask({ model: 'test/preferring', provider: { order: ['cheap'] } })).toMatchObject({
      provider: 'cheap',
    });
  });

  it('shows its routing', async () => {
    const response = await get(scripted.gateway, '/models/test/preferring/endpoints');

    expect(await response.json()).toMatchObject({ routing: { default: { order: ['usual'] } } });
  });
});

/** Fails the first time, and answers the second time. */
function answerOnSecond(): Behavior {
  let asked = 0;
  return (exchange) => {
    asked += 1;
    return asked === 1 ? refuse('500 Oops')(exchange) : answerSoundly(exchange);
  };
}
