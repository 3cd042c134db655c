import { beforeAll, describe, expect, it } from 'vitest';
import { shortRecording } from '../support/client-api-bodies.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

/** The sandbox is silent for this time before an answer. */
const SILENCE_MS = 300;
const slow = [said('Hi', `first=${SILENCE_MS} delay=0`)];
const question = { angry: { type: 'noul', instructions: 'Is the writer angry?' } };

/** Returns the durations by their names in the header. */
function durations(response: Response): Record<string, number> {
  const header = response.headers.get('server-timing') ?? '';
  expect(header).toMatch(/^gateway;dur=\d+\.\d(?:, provider;dur=\d+\.\d)?$/);
  return Object.fromEntries(
    [...header.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, value]) => [name, Number(value)]),
  );
}

describe('the server timing of an answer', () => {
  it.each<[string, object]>([
    ['/messages', { max_tokens: 20, messages: slow }],
    ['/messages', { max_tokens: 20, messages: slow, stream: true }],
    ['/chat/completions', { messages: slow }],
    ['/chat/completions', { messages: slow, stream: true }],
    ['/responses', { input: slow }],
    ['/responses', { input: slow, stream: true }],
  ])('of %s has the time of the provider apart from the gateway’s own time: %j', async (path, body) => {
    const beganAtMs = performance.now();
    const response = await post(gateway, path, { model: 'sandbox/claude', ...body });
    const wholeMs = performance.now() - beganAtMs;
    await response.text();

    const { gateway: gatewayMs, provider: providerMs } = durations(response);
    // A busy gateway notices late that its request was sent, so it may measure too short a time of the provider.
    expect(providerMs).toBeGreaterThanOrEqual(SILENCE_MS / 2);
    expect(gatewayMs! + providerMs!).toBeLessThanOrEqual(wholeMs);
  });

  it.each<[string, object]>([
    ['/decisions', { model: 'sandbox/judge', state: 'Where is my parcel?', questions: question }],
    ['/embeddings', { model: 'sandbox/embedder', input: 'Where is my parcel?' }],
    ['/images', { model: 'sandbox/painter', prompt: 'A fox' }],
    ['/audio/speech', { model: 'sandbox/speaker', input: 'Where is my parcel?' }],
    ['/audio/transcriptions', { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
    ['/rerank', { model: 'sandbox/ranker', query: 'Where is my parcel?', documents: ['Late.'] }],
  ])('of %s has both times, and so has its record', async (path, body) => {
    const response = await post(gateway, path, body);
    await response.text();

    expect(durations(response)).toEqual({ gateway: expect.any(Number), provider: expect.any(Number) });
    const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(record).toMatchObject({ overhead_ms: expect.any(Number), provider_ms: expect.any(Number) });
  });

  it('has no provider time without a request to a provider', async () => {
    const video = { model: 'sandbox/filmmaker', prompt: 'A fox @sandbox polls=0', duration: 5 };
    const refused = await post(gateway, '/messages', { model: 'sandbox/none', max_tokens: 20, messages: slow });

    expect(durations(await post(gateway, '/videos', video))).toEqual({ gateway: expect.any(Number) });
    expect([refused.status, durations(refused)]).toEqual([404, { gateway: expect.any(Number) }]);
  });

  it.each<[string, string[]]>([
    ['sandbox/claude', ['gateway', 'provider']],
    ['sandbox/gpt', ['gateway']],
  ])('of a token count has the provider’s time if a provider counts: %s', async (model, names) => {
    const counts = await Promise.all([
      post(gateway, '/messages/count_tokens', { model, messages: slow }),
      post(gateway, '/responses/input_tokens', { model, input: slow }),
    ]);

    for (const count of counts) expect([count.status, Object.keys(durations(count))]).toEqual([200, names]);
  });

  it('of a video has only the gateway’s time, and its record has the provider’s time too', async () => {
    const video = { model: 'sandbox/filmmaker', prompt: 'A fox @sandbox polls=0', duration: 5 };
    const response = await post(gateway, '/videos', video);

    expect(durations(response)).toEqual({ gateway: expect.any(Number) });
    const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    const [overhead, provider] = [record['overhead_ms'], record['provider_ms']];
    expect([overhead, provider]).toEqual([expect.any(Number), expect.any(Number)]);
    // The two durations add up to the whole time.
    expect(Number(overhead) + Number(provider)).toBe(Number(record['latency']) + Number(record['generation_time']));
  });

  it('includes failed attempts in the time of providers', async () => {
    const failing = [said('Hi', `first=${SILENCE_MS} delay=0 error=500`)];
    const response = await post(gateway, '/messages', { model: 'sandbox/claude', max_tokens: 20, messages: failing });

    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(durations(response)['provider']).toBeGreaterThan(0);
  });

  it('is absent from GET /models', async () => {
    const response = await fetch(`${gateway.baseUrl}/models`);

    expect(response.headers.get('server-timing')).toBeNull();
  });
});

it('the record of an answer has the times of gateway and provider, to the end of the answer', async () => {
  const messages = [said('Hi', `first=${SILENCE_MS} delay=20 tokens=10`)];
  const response = await post(gateway, '/messages', {
    model: 'sandbox/claude',
    max_tokens: 20,
    messages,
    stream: true,
  });
  await response.text();

  const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
  const [overhead, provider] = [record['overhead_ms'], record['provider_ms']].map(Number);
  expect(provider).toBeGreaterThanOrEqual((SILENCE_MS + 9 * 20) / 2);
  // Each duration is rounded separately.
  expect(overhead! + provider!).toBeLessThanOrEqual(Number(record['latency']) + Number(record['generation_time']) + 2);
});
