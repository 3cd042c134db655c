import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { readEvents } from '../support/sse.ts';
import { frames } from '../support/upstream.ts';
import { eventually } from '../support/eventually.ts';

type Answer = (response: ServerResponse) => void | Promise<void>;

/** Time after which the gateway has read earlier output. */
const BREAKS_AFTER_MS = 50;

/** Returns an answer that ends with a refusal. Anthropic names the category of a refusal in `stop_details`. */
const declining =
  (usage: string, details = 'null'): Answer =>
  (response) =>
    void response.end(
      frames.start +
        `event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":${details}},"usage":${usage}}\n\n` +
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );

const ofCategory = (category: string) =>
  declining('{"output_tokens":0}', `{"type":"refusal","category":"${category}"}`);

/** Answers of the provider, by upstream name of the model. */
const answers: Record<string, Answer> = {
  'breaks-late': (response) => {
    response.write(frames.start + frames.blockStart + frames.text('Half of it'));
    setTimeout(() => response.destroy(), BREAKS_AFTER_MS);
  },
  'breaks-early': (response) => {
    response.write(frames.start + frames.blockStart);
    setTimeout(() => response.destroy(), BREAKS_AFTER_MS);
  },
  silent: () => undefined,
  'takes-it-silently': (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  'falls-silent': (response) => void response.write(frames.start),
  declines: declining('{"output_tokens":5}'),
  'declines-cyber': ofCategory('cyber'),
  'declines-bio': ofCategory('bio'),
  'declines-frontier_llm': ofCategory('frontier_llm'),
  'declines-reasoning_extraction': ofCategory('reasoning_extraction'),
  good: (response) => void response.end(frames.start + frames.blockStart + frames.text('Good.') + frames.end(2)),
};

const endpoint = (upstreamModel: string, more: object = {}) => ({
  provider: 'test',
  upstream_model: upstreamModel,
  pricing: { prompt: '0.001', completion: '0.01' },
  ...more,
});

let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
let lastGone: Promise<void>;
/** Emits the upstream name of a model when the provider receives a request for it. */
const asked = new EventEmitter();
beforeAll(async () => {
  const server = createServer((request: IncomingMessage, response) => {
    lastGone = new Promise((resolve) => response.once('close', resolve));
    void (async () => {
      let body = '';
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
      const { model } = JSON.parse(body) as { model: string };
      asked.emit(model);
      await answers[model]!(response);
    })();
  });
  upstream = await listen(server);
  const provider = {
    id: 'test',
    name: 'Test',
    wire: 'anthropic',
    base_url: upstream.url,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    timeouts: { first_byte_ms: 3_000, idle_ms: 3_000 },
  };
  const second = endpoint('good', { pricing: { prompt: '0.002', completion: '0.02' } });
  const unseen = { quirks: { hidden_reasoning: true } };
  catalog = catalogDirectory(
    [
      ...Object.keys(answers).map((name) => textModel(`test/${name}`, [endpoint(name)])),
      textModel('test/silent-then-good', [endpoint('silent'), second]),
      textModel('test/thinks-silently', [endpoint('takes-it-silently', unseen), { ...second, ...unseen }]),
      textModel('test/thinks-and-falls-silent', [endpoint('falls-silent', unseen)]),
    ],
    [provider],
  );
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

const ask = (model: string, stream: boolean) =>
  post(gateway, '/messages', { model: `test/${model}`, max_tokens: 1_000, stream, messages: [said('Hello there')] });

const settled = (response: Response) => finalGeneration(gateway, response.headers.get('x-generation-id')!);

describe('an answer that is interrupted after its first text', () => {
  it('is a failure for a client that does not stream, and costs the reported usage', async () => {
    const response = await ask('breaks-late', false);

    expect(response.status).toBe(502);
    expect(response.headers.get('x-should-retry')).toBeNull();
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { metadata: { error_type: 'provider_unavailable', provider_name: 'Test' } },
    });
    // 10 reported prompt tokens, and one output token that the first event already reports.
    expect(await settled(response)).toMatchObject({
      total_cost: 0.02,
      tokens_prompt: 10,
      tokens_completion: 1,
      cancelled: true,
      estimated: false,
      ending: 'broke_off',
    });
  });

  it('ends a stream with an error, and is charged up to that point', async () => {
    const response = await ask('breaks-late', true);
    expect((await readEvents(response)).at(-1)).toMatchObject({ type: 'error' });
    expect(await settled(response)).toMatchObject({ total_cost: 0.04, cancelled: true, finish_reason: 'error' });
  });

  it.each([true, false])('costs nothing without any text (streamed: %s)', async (stream) => {
    const response = await ask('breaks-early', stream);
    await response.text();
    expect(await settled(response)).toMatchObject({
      total_cost: 0,
      cancelled: false,
      finish_reason: 'error',
      provider_responses: [{ failure: expect.stringMatching(/^(broken|ECONNRESET)$/) }],
    });
  });
});

describe('a provider that is silent for longer than the timeout', () => {
  it('costs nothing and is followed by the next endpoint', async () => {
    const response = await ask('silent-then-good', false);
    expect(await response.json()).toMatchObject({ content: [{ text: 'Good.' }] });
    expect(await settled(response)).toMatchObject({
      total_cost: 0.06,
      provider_responses: [
        { endpoint_id: 'test/silent-then-good/0', status: null, failure: 'first_byte_timeout' },
        { endpoint_id: 'test/silent-then-good/1', status: 200, failure: null },
      ],
    });
  });

  it('is charged for possible thinking if it has accepted the request, and no other endpoint is tried', async () => {
    const response = await ask('thinks-silently', false);

    expect(response.status).toBe(504);
    expect(response.headers.get('x-should-retry')).toBe('false');
    const generation = await settled(response);
    expect(generation).toMatchObject({ ending: 'out_of_time', cancelled: true, estimated: true });
    // The gateway estimates sixty tokens for each second after the first two.
    expect(generation['tokens_completion']).toBeGreaterThan(30);
    expect(generation['tokens_completion']).toBeLessThan(200);
  });

  it('is charged for possible thinking in the middle of an answer as well', async () => {
    const response = await ask('thinks-and-falls-silent', true);
    expect((await readEvents(response)).at(-1)).toMatchObject({ type: 'error', error: { type: 'timeout_error' } });
    expect(await settled(response)).toMatchObject({ ending: 'out_of_time', tokens_prompt: 10, estimated: true });
  });
});

describe('a client that disconnects before the first text', () => {
  it('is charged for the prompt that the provider has counted, although it received nothing', async () => {
    const before = gateway.log().length;
    const leaving = new AbortController();
    const waiting = fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/falls-silent',
        max_tokens: 1_000,
        stream: true,
        messages: [said('Hello there')],
      }),
    });
    await Promise.race([once(asked, 'falls-silent'), waiting]);
    // After this time, the gateway has read the event with the prompt tokens.
    await new Promise((resolve) => setTimeout(resolve, 4 * BREAKS_AFTER_MS));
    leaving.abort();
    await lastGone;
    await expect(waiting).rejects.toThrow('abort');
    const found = await eventually(() => {
      const [, id] = /"generationId":"(gen-[^"]+)"/.exec(gateway.log().slice(before)) ?? [];
      expect(id).toBeDefined();
      return id!;
    });

    expect(await finalGeneration(gateway, found)).toMatchObject({
      ending: 'client_left',
      cancelled: true,
      tokens_prompt: 10,
      tokens_completion: 1,
    });
  });
});

describe('a client that disconnects before there is an answer', () => {
  it.each([false, true])('ends the work of the provider at once, streamed: %s', async (stream) => {
    const before = gateway.log().length;
    const leaving = new AbortController();
    const waiting = fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/silent', max_tokens: 1_000, stream, messages: [said('Hello there')] }),
    });
    await Promise.race([once(asked, 'silent'), waiting]);
    const startMs = performance.now();
    leaving.abort();
    await lastGone;

    // The provider's own timeout for the first byte is three seconds, so it was not the cause.
    expect(performance.now() - startMs).toBeLessThan(1_500);
    await expect(waiting).rejects.toThrow('abort');
    // A disconnected client is no failure of the provider.
    await eventually(() => expect(gateway.log().slice(before)).toContain('"status":408'));
    expect(gateway.log().slice(before)).not.toContain('"status":502');
  });
});

describe('a refusal of the model before any output', () => {
  it.each(['declines', 'declines-cyber'])('costs nothing if Anthropic does not charge for it (%s)', async (model) => {
    const response = await ask(model, false);
    expect(await response.json()).toMatchObject({ stop_reason: 'refusal', usage: { output_tokens: 0, cost: 0 } });
    expect(await settled(response)).toMatchObject({ total_cost: 0, ending: 'complete', finish_reason: 'refusal' });
  });

  it.each(['bio', 'frontier_llm', 'reasoning_extraction'])(
    'costs the reported usage if Anthropic charges for its category (%s)',
    async (category) => {
      const response = await ask(`declines-${category}`, false);
      expect(await response.json()).toMatchObject({
        stop_reason: 'refusal',
        stop_details: { category },
        usage: { input_tokens: 10, output_tokens: 0, cost: 0.01 },
      });
      expect(await settled(response)).toMatchObject({ total_cost: 0.01, estimated: false, finish_reason: 'refusal' });
    },
  );
});
