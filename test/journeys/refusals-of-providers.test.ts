import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { answer, bytesOf, dialects, wires, type WireName } from '../support/dialects.ts';
import { finalGeneration, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';

/** Behavior of the provider. It depends on the upstream name of the model. */
type Behavior = (response: ServerResponse, wire: WireName) => void;

const refusing =
  (status: number, body: object, headers: Record<string, string> = {}): Behavior =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const openai = (message: string, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param: null, code },
});

const OVERLOADED = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

const behaviors: Record<string, Behavior> = {
  'too-long': refusing(400, openai('Your request exceeded model token limit: 262144 (requested: 290000)')),
  'too-long-without-numbers': refusing(400, { message: 'Input is too long for requested model.' }),
  'no-money': refusing(429, openai('You exceeded your current quota, please check your plan.', 'insufficient_quota')),
  retired: refusing(400, openai('The model `old` has been decommissioned.', 'model_decommissioned')),
  'week-long': refusing(429, openai('Usage limit reached'), { 'retry-after': '287441' }),
  opens: (response, wire) => {
    const dialect = dialects[wire];
    const { ping } = dialect;
    response.write(bytesOf(dialect, dialect.opening() + ping));
    setTimeout(() => response.end(bytesOf(dialect, dialect.event(errorOf[wire]))), 30);
  },
  empty: (response, wire) => withoutContent('0')(response, wire),
  silent: (response, wire) => withoutContent('3')(response, wire),
};

/** Returns the behavior of an answer that ends normally without content. */
const withoutContent =
  (outputTokens: string): Behavior =>
  (response, wire) => {
    const dialect = dialects[wire];
    const usage = dialect.usage({ prompt: '10', output: outputTokens });
    response.end(bytesOf(dialect, dialect.opening() + dialect.reason(usage) + dialect.stop));
  };

const errorOf: Record<WireName, string> = {
  anthropic: OVERLOADED,
  'openai-chat': '{"error":{"code":503,"message":"Overloaded"}}',
  'openai-responses': '{"type":"error","code":"server_is_overloaded","message":"Overloaded"}',
  'google-gemini': '{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}',
  'bedrock-converse': '{"__type":"serviceUnavailableException","message":"Overloaded"}',
};

const apis = {
  messages: (model: string, stream: boolean) => ({
    path: '/messages',
    body: { model, stream, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] },
  }),
  chat: (model: string, stream: boolean) => ({
    path: '/chat/completions',
    body: { model, stream, messages: [{ role: 'user', content: 'Hi' }] },
  }),
  responses: (model: string, stream: boolean) => ({ path: '/responses', body: { model, stream, input: 'Hi' } }),
};
type Api = keyof typeof apis;
const everyWay = (Object.keys(apis) as Api[]).flatMap((api) => [true, false].map((stream) => ({ api, stream })));

const endpoint = (wire: WireName, upstreamModel: string) => ({
  provider: `test-${wire}`,
  upstream_model: upstreamModel,
  // The cheaper endpoint is tried first, so the endpoint `good` is tried second.
  pricing: upstreamModel === 'good' ? { prompt: '0.1', completion: '1' } : { prompt: '0.001', completion: '0.01' },
});

let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await listen(
    createServer((request: IncomingMessage, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
        const wire = wires.find((name) => request.url!.startsWith(`/${name}/`))!;
        const { model } = JSON.parse(body) as { model?: string };
        const asked = model ?? /\/models?\/([\w-]+)/.exec(request.url!.slice(wire.length + 1))![1]!;
        const behavior = behaviors[asked];
        if (behavior) behavior(response, wire);
        else response.end(bytesOf(dialects[wire], answer(dialects[wire], 'fine')));
      })();
    }),
  );
  const names = Object.keys(behaviors);
  catalog = catalogDirectory(
    wires.flatMap((wire) => [
      ...names.map((name) => textModel(`${wire}/${name}`, [endpoint(wire, name)])),
      ...names.map((name) => textModel(`${wire}/${name}-then-good`, [endpoint(wire, name), endpoint(wire, 'good')])),
      // An endpoint that fails is not tried first again, so each request has its own model.
      ...everyWay.map(({ api, stream }) =>
        textModel(`${wire}/opens-${api}-${stream}`, [endpoint(wire, 'opens'), endpoint(wire, 'good')]),
      ),
    ]),
    wires.map((wire) => ({
      id: `test-${wire}`,
      name: `Provider ${wire}`,
      wire,
      base_url: `${upstream.url}/${wire}`,
      data_policy: { logs_prompts: false, trains_on_prompts: false },
      ...(wire === 'bedrock-converse' ? { credential: 'TEST_AWS_KEY' } : {}),
    })),
  );
  gateway = await startGateway({ args: ['--catalog', catalog.path], env: { TEST_AWS_KEY: 'id:secret' } });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

async function ask(api: Api, model: string, stream: boolean) {
  const { path, body } = apis[api](model, stream);
  const response = await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { response, text: await response.text() };
}

const errorIn = (text: string) => (JSON.parse(text) as { error: Record<string, unknown> }).error;

describe('a prompt above the limit of its provider', () => {
  const words = 'prompt is too long: 290000 tokens > 262144 maximum. Your request exceeded model token limit';

  it.each(everyWay.filter(({ api, stream }) => api !== 'responses' || !stream))(
    'is refused with a text that agents act on, with the status 400: $api, streamed: $stream',
    async ({ api, stream }) => {
      const { response, text } = await ask(api, 'openai-chat/too-long', stream);

      expect(response.status).toBe(400);
      expect(errorIn(text)).toMatchObject({
        message: expect.stringContaining(words) as string,
        metadata: { error_type: 'context_length_exceeded', provider_status: 400 },
      });
    },
  );

  it.each(['too-long', 'too-long-then-good'])('is reported to Codex by response.failed: %s', async (name) => {
    const { response, text } = await ask('responses', `openai-responses/${name}`, true);

    const failed = text.split('\n').filter((line) => line.startsWith('data: ') && line.includes('"response.failed"'));
    expect(response.status).toBe(200);
    expect(failed).toHaveLength(1);
    expect((JSON.parse(failed[0]!.slice(6)) as { response: object }).response).toMatchObject({
      status: 'failed',
      error: { code: 'context_length_exceeded', message: expect.stringContaining(words) as string },
    });
    const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(record).toMatchObject({ total_cost: 0 });
  });

  it('is refused without numbers if its provider gives none', async () => {
    const { text } = await ask('messages', 'bedrock-converse/too-long-without-numbers', false);

    expect(errorIn(text)['message']).toMatch(/^prompt is too long: Input is too long for requested model\. \(/);
  });
});

describe('a failure that only the operator can fix', () => {
  it.each(everyWay.flatMap((way) => ['no-money', 'retired'].map((name) => ({ ...way, name }))))(
    'is not the fault of the client, and not to be retried: $name, $api, streamed: $stream',
    async ({ api, stream, name }) => {
      const { response, text } = await ask(api, `openai-chat/${name}`, stream);

      expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false']);
      expect(errorIn(text)['message']).toMatch(
        /^Provider openai-chat (?:refused the credential or account of the gateway|does not have this model)/,
      );
    },
  );

  it.each([
    ['no-money', 'provider refuses the operator'],
    ['retired', 'provider does not have the model'],
  ])('is followed by the next endpoint, and logged with a line that raises an alarm: %s', async (name, line) => {
    const { response } = await ask('messages', `openai-chat/${name}-then-good`, false);

    expect(response.status).toBe(200);
    const about = gateway
      .log()
      .split('\n')
      .filter((one) => one.includes(`"${line}"`));
    expect(about.at(-1)).toContain(`"model":"openai-chat/${name}`);
  });
});

describe('a long retry time', () => {
  it('is passed on to the client', async () => {
    const { response } = await ask('messages', 'anthropic/week-long', false);

    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '287441']);
  });
});

describe.each(wires)('an overload after the opening of an answer over %s', (wire) => {
  it.each(everyWay)(
    'is followed by the next endpoint without a trace for the client: $api, streamed: $stream',
    async ({ api, stream }) => {
      const { response, text } = await ask(api, `${wire}/opens-${api}-${stream}`, stream);

      expect(response.status).toBe(200);
      expect(text).toContain('fine');
      expect(text).not.toContain('Overloaded');
      const beginning = {
        messages: 'event: message_start',
        chat: '"role":"assistant"',
        responses: 'event: response.created',
      };
      if (stream) expect(text.split(beginning[api])).toHaveLength(2);
      const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
      expect(record).toMatchObject({ provider_responses: [{ failure: 'provider_overloaded' }, { status: 200 }] });
    },
  );

  it.each(everyWay)(
    'is refused as an overload without another endpoint: $api, streamed: $stream',
    async ({ api, stream }) => {
      const { response, text } = await ask(api, `${wire}/opens`, stream);

      expect(response.status).toBe(529);
      expect(errorIn(text)).toMatchObject({ message: 'Overloaded' });
      const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
      expect(record).toMatchObject({ total_cost: 0 });
    },
  );
});

describe.each(wires)('an answer without content over %s', (wire) => {
  it('is followed by the next endpoint if the model has written no token', async () => {
    const { response, text } = await ask('messages', `${wire}/empty-then-good`, false);

    expect(response.status).toBe(200);
    expect(text).toContain('fine');
    const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(record).toMatchObject({ provider_responses: [{}, { status: 200 }] });
  });

  it.each([true, false])(
    'is a failure of the provider without another endpoint, and free: streamed: %s',
    async (stream) => {
      const { response, text } = await ask('chat', `${wire}/empty`, stream);

      expect(response.status).toBe(502);
      expect(errorIn(text)['message']).toMatch(/^The provider ended its answer without content/);
      const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
      expect(record).toMatchObject({ total_cost: 0 });
    },
  );

  it('is an answer if the model has written tokens', async () => {
    const { response, text } = await ask('messages', `${wire}/silent-then-good`, false);

    expect(response.status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 3 } });
  });
});
