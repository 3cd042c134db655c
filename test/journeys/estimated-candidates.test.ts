import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { finalGeneration, post, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { askFor, generationId, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

const price = (prompt: string) => ({ prompt, completion: prompt });
const noData = { logs_prompts: false, trains_on_prompts: false, retention_days: 0 };
const endpoints = [
  { provider: 'dear', pricing: price('0.003'), quantization: 'bf16' },
  { provider: 'cheap', pricing: price('0.001') },
  { provider: 'usual', pricing: price('0.002') },
  { provider: 'locked', pricing: price('0.001') },
  { provider: 'usual' },
];
const more = { supported_parameters: ['max_tokens'] };

let scripted: ScriptedGateway;
beforeAll(async () => {
  scripted = await startScriptedGateway({
    providers: [
      { id: 'cheap', wire: 'openai-chat', data_policy: { logs_prompts: true, trains_on_prompts: true } },
      { id: 'usual', wire: 'anthropic', data_policy: { ...noData, retention_days: 7 } },
      { id: 'dear', wire: 'openai-chat', data_policy: noData },
      { id: 'locked', wire: 'openai-chat', data_policy: noData, credential: 'NOBODY_HAS_SET_THIS_KEY' },
    ],
    models: [
      textModel('test/several', endpoints, more),
      // An endpoint that has failed is tried last for a while, so tests of failures use this model.
      textModel('test/failing', endpoints, more),
      textModel('test/other', [{ provider: 'usual', pricing: price('0.0005') }]),
      textModel(
        'test/many',
        Array.from({ length: 8 }, (_, index) => ({ provider: 'dear', pricing: price(`0.00${index + 1}`) })),
      ),
    ],
  });
});
afterAll(() => scripted.stop());

interface Estimate {
  candidates: { model: string; endpoint_id: string; provider_name: string; input_cost_rub: string }[];
  excluded: { model: string; endpoint_id: string; provider_name: string; reason: string; message?: string }[];
}

async function estimate(body: object, on: RunningGateway = scripted.gateway): Promise<Estimate> {
  const response = await post(on, '/messages/estimate', {
    model: 'test/several',
    max_tokens: 50,
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Estimate }).data;
}

const namesOf = ({ candidates }: Estimate) => candidates.map(({ provider_name: name }) => name);
/** Returns the reasons by provider. The endpoint without a price is always excluded, so it is omitted. */
const reasonsOf = ({ excluded }: Estimate) =>
  Object.fromEntries(
    excluded.filter(({ reason }) => reason !== 'no_price').map((one) => [one.provider_name, one.reason]),
  );

describe('the candidates of an estimate', () => {
  it('are those of a request, in its order', async () => {
    let asked = 0;
    const words = scripted.behaves(({ dialect, respond }) => {
      asked += 1;
      return respond('503 Busy', {}, dialect.refusal('api_error', '"Not now"'));
    });
    const body = { model: 'test/failing', models: ['test/other'], messages: [{ role: 'user', content: words }] };

    const { candidates } = await estimate(body);
    const askedByEstimate = asked;
    const failed = await askFor(scripted.gateway, body);

    const { provider_responses: attempts } = await finalGeneration(scripted.gateway, generationId(failed));
    const told = candidates.map(({ model, provider_name: provider }) => [`${model}-1`, provider]);
    const tried = (attempts as { model_permaslug: string; provider_name: string }[]).map(
      ({ model_permaslug: model, provider_name: provider }) => [model, provider],
    );
    expect(askedByEstimate).toBe(0);
    expect(told).toHaveLength(4);
    expect(tried).toEqual(told);
    // Endpoints that have just failed are tried last, but are not excluded.
    expect(namesOf(await estimate({ model: 'test/failing', provider: { order: ['dear'] } }))[0]).toBe('dear');
  });

  it('follow the preferences of the request', async () => {
    expect(namesOf(await estimate({ provider: { order: ['dear'] } }))).toEqual(['dear', 'cheap', 'usual']);
  });

  it('have their own prices, with the exclusion reason of the others', async () => {
    const { candidates, excluded } = await estimate({});

    const [first, second] = candidates.map(({ input_cost_rub: input }) => Number(input)) as [number, number];
    expect(second).toBeCloseTo(2 * first, 9);
    expect(excluded.map(({ endpoint_id: id, reason }) => [id, reason])).toEqual([
      ['test/several/4', 'no_price'],
      ['test/several/3', 'no_credential'],
    ]);
  });
});

describe('an excluded endpoint in an estimate', () => {
  it.each([
    ['only', { only: ['dear'] }, { cheap: 'only', usual: 'only', locked: 'only' }],
    ['ignore', { ignore: ['cheap'] }, { cheap: 'ignore' }],
    ['order', { order: ['dear'], allow_fallbacks: false }, { cheap: 'order', usual: 'order', locked: 'order' }],
    ['quantizations', { quantizations: ['bf16'] }, { cheap: 'quantizations', usual: 'quantizations' }],
    ['data_collection', { data_collection: 'deny' }, { cheap: 'data_collection' }],
    ['zdr', { zdr: true }, { cheap: 'zdr', usual: 'zdr' }],
    ['max_price', { max_price: { prompt: 2_500 } }, { dear: 'max_price' }],
    ['allow_fallbacks', { allow_fallbacks: false }, { usual: 'no_fallbacks', dear: 'no_fallbacks' }],
  ])('has the preference that excludes it: %s', async (_name, provider, expected) => {
    expect(reasonsOf(await estimate({ provider }))).toMatchObject(expected);
  });

  it('has too_many_endpoints as the reason above the maximum of candidates', async () => {
    const { candidates, excluded } = await estimate({ model: 'test/many' });

    expect(candidates).toHaveLength(6);
    expect(excluded.map(({ endpoint_id: id, reason }) => [id, reason])).toEqual([
      ['test/many/6', 'too_many_endpoints'],
      ['test/many/7', 'too_many_endpoints'],
    ]);
  });

  it('has the unsupported feature of the request', async () => {
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
    const told = await estimate({ messages: [{ role: 'user', content: [pdf] }] });

    expect(namesOf(told)).toEqual(['usual']);
    expect(reasonsOf(told)).toMatchObject({ cheap: 'request_not_supported', dear: 'request_not_supported' });
    expect(told.excluded.find(({ provider_name: name }) => name === 'cheap')!.message).toContain(
      'messages.0.content.0',
    );
  });

  it.each([
    ['allowed_providers', { allowedProviders: ['dear'] }, { cheap: 'allowed_providers', usual: 'allowed_providers' }],
    ['ignored_providers', { ignoredProviders: ['cheap'] }, { cheap: 'ignored_providers' }],
    ['data_policy:logging', { blockLogging: true }, { cheap: 'data_policy:logging' }],
    ['data_policy:training', { blockTraining: true }, { cheap: 'data_policy:training' }],
  ])('has the setting of the key that excludes it: %s', async (_name, privacy, expected) => {
    const { body } = await manage(scripted.gateway, 'POST', '/keys', { name: 'private', privacy });
    const on = { ...scripted.gateway, key: (body as { key: string }).key };

    expect(reasonsOf(await estimate({}, on))).toMatchObject(expected);
  });
});
