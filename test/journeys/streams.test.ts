import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { newClient } from '../support/hostile-gateway.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { startFaultProxy, untilQuiet, type DynamodbCall } from '../support/fault-proxy.ts';
import {
  betweenSchedules,
  finalGeneration,
  get,
  post,
  said,
  startGateway,
  type RunningGateway,
} from '../support/gateway.ts';
import type { Listening } from '../support/listen.ts';
import { reportOf } from '../support/processes.ts';
import { readEvents, summarize } from '../support/sse.ts';
import { frames, startUpstream, writeCatalog } from '../support/upstream.ts';

type Answer = Parameters<typeof startUpstream>[0];

let directory: string;
let stops: (() => Promise<void>)[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-streams-'));
  stops = [];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Several tests share this gateway, whose upstream server answers as the current test specifies. */
let shared: {
  gateway: RunningGateway;
  answers: (answer: Answer) => void;
  directory: string;
  stop: () => Promise<void>;
};
beforeAll(async () => {
  const files = mkdtempSync(join(tmpdir(), 'gateway-streams-shared-'));
  let answerNow: Answer | undefined;
  const upstream = await startUpstream((response, request) => answerNow!(response, request));
  writeCatalog(join(files, 'catalog'), [upstream.url]);
  const gateway = await startGateway({ args: ['--data', join(files, 'data'), '--catalog', join(files, 'catalog')] });
  shared = {
    gateway,
    directory: files,
    answers: (answer) => (answerNow = answer),
    stop: async () => {
      await gateway.stop();
      await upstream.stop();
      rmSync(files, { recursive: true, force: true });
    },
  };
});
afterAll(() => shared.stop());

/** Sets the answer of the upstream server, and returns the shared gateway. */
function gatewayAnswering(answer: Answer): RunningGateway {
  shared.answers(answer);
  return shared.gateway;
}

async function gatewayBefore(upstreams: Listening[], env: Record<string, string> = {}): Promise<RunningGateway> {
  writeCatalog(
    join(directory, 'catalog'),
    upstreams.map(({ url }) => url),
  );
  const gateway = await startGateway({
    args: ['--data', join(directory, 'data'), '--catalog', join(directory, 'catalog'), ...betweenSchedules()],
    env,
  });
  stops.push(...upstreams.map(({ stop }) => stop), gateway.stop);
  return gateway;
}

const ask = { model: 'test/model', max_tokens: 50_000, stream: true, messages: [said('Hi')] };

/** Sends a request, and returns a response that can be read at any speed. */
function open(gateway: RunningGateway): Promise<http.IncomingMessage> {
  const body = JSON.stringify(ask);
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${gateway.baseUrl}/messages`,
      { method: 'POST', headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' } },
      resolve,
    );
    request.on('error', reject);
    request.end(body);
  });
}

const residentMb = async (pid: number) => (await reportOf(pid)).residentMb;

describe('a stream', () => {
  it('is passed on as it arrives, chunk by chunk', async () => {
    const words = ['one ', 'two ', 'three'];
    const arrived = words.map(() => Promise.withResolvers<void>());
    const gateway = gatewayAnswering((response) => {
      void (async () => {
        response.write(frames.start + frames.blockStart);
        for (const [index, word] of words.entries()) {
          response.write(frames.text(word));
          // Each word is written only after the client has received the word before it.
          await arrived[index]!.promise;
        }
        response.end(frames.end(3));
      })();
    });
    let count = 0;

    const events = await readEvents(await post(gateway, '/messages', ask), (event) => {
      if (event.type === 'content_block_delta') arrived[count++]!.resolve();
    });

    expect(summarize(events).text).toBe('one two three');
  });

  it('of 50 MB does not accumulate in memory if its reader is slow', async () => {
    const text = frames.text('x'.repeat(10_000));
    let written = 0;
    const gateway = gatewayAnswering((response) => {
      response.write(frames.start + frames.blockStart);
      const more = () => {
        while (written < 50_000_000 && !response.destroyed) {
          written += text.length;
          if (!response.write(text)) {
            response.once('drain', more);
            return;
          }
        }
      };
      more();
    });
    const response = await open(gateway);
    response.pause();
    const before = await residentMb(gateway.process.pid!);

    // The loop ends when the upstream server can write no more.
    for (let seen = -1; seen !== written;) {
      seen = written;
      response.read(1_024);
      for (let times = 0; times < 25; times += 1) await (await get(gateway, '/health')).text();
    }

    expect((await residentMb(gateway.process.pid!)) - before).toBeLessThan(40);
    // Only the sockets and the gateway's small buffers are full.
    expect(written).toBeLessThan(20_000_000);
    response.destroy();
  });

  it('stops its upstream within 50 ms after the client disconnects', async () => {
    let closed = Promise.withResolvers<number>();
    const gateway = gatewayAnswering((response) => {
      response.write(frames.start + frames.blockStart + frames.text('word '));
      response.once('close', () => closed.resolve(performance.now()));
    });
    const delays: number[] = [];
    // The best of five rounds measures the gateway and not the load of the machine.
    for (let round = 0; round < 5; round += 1) {
      closed = Promise.withResolvers();
      const response = await open(gateway);
      await new Promise((resolve) => response.once('data', resolve));
      const leftAt = performance.now();
      response.destroy();
      delays.push((await closed.promise) - leftAt);
      const generation = await finalGeneration(gateway, String(response.headers['x-generation-id']));
      expect(generation).toMatchObject({ cancelled: true, tokens_prompt: 10 });
    }
    expect(Math.min(...delays)).toBeLessThan(50);
  });

  it('has a ping within fifteen seconds while the provider is silent', async () => {
    const gateway = gatewayAnswering((response) => response.write(frames.start + frames.blockStart));
    const requestedAtMs = performance.now();
    const response = await post(gateway, '/messages', ask);

    await new Promise<void>((resolve) => {
      void readEvents(response, (event) => event.type === 'ping' && resolve()).catch(() => undefined);
    });

    expect(performance.now() - requestedAtMs).toBeLessThan(15_000);
  });
});

describe('a client that disconnects before the answer begins', () => {
  it('leaves no request to the provider and no handler behind', async () => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const upstream = await startUpstream((response) => {
      response.once('close', () => closed.resolve());
      asked.resolve();
    });
    const gateway = await gatewayBefore([upstream]);
    const leaving = new AbortController();
    const request = fetch(`${gateway.baseUrl}/messages`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify(ask),
    }).catch(() => undefined);
    await asked.promise;

    leaving.abort();
    await request;

    await closed.promise;
    const stoppedAt = performance.now();
    await gateway.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  });
});

/** Failures of an endpoint before its first event, and the model whose first endpoint fails in this way. */
const failures: [string, string, (response: http.ServerResponse) => void][] = [
  ['refuses', 'refusing', (response) => response.writeHead(529).end('{"error":{"message":"Busy"}}')],
  ['breaks off', 'breaking', (response) => response.destroy()],
  [
    'answers with an error event',
    'erring',
    (response) =>
      response.end('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n'),
  ],
];

const providerId = (model: string, place: number) => `${model}-${place}`;

/** Returns a catalog whose models have their own providers, so that failures in one test have no effect on another. */
function catalogOf(models: { name: string; urls: string[] }[]) {
  return catalogDirectory(
    models.map(({ name, urls }) => {
      const endpoints = urls.map((_, place) => ({
        provider: providerId(name, place),
        pricing: { prompt: '0.0001', completion: `0.000${place + 2}` },
      }));
      return textModel(`test/${name}`, endpoints);
    }),
    models.flatMap(({ name, urls }) =>
      urls.map((url, place) => ({
        id: providerId(name, place),
        name: providerId(name, place),
        wire: 'anthropic',
        base_url: url,
        data_policy: { logs_prompts: false, trains_on_prompts: false },
      })),
    ),
  );
}

const requestTo = (name: string) => ({ ...ask, model: `test/${name}`, max_tokens: 5_000 });

describe('an endpoint that fails before its first event', () => {
  const asked = new Set<string>();
  const upstreams: Listening[] = [];
  let catalog: CatalogDirectory;
  let gateway: RunningGateway;
  beforeAll(async () => {
    const working = await startUpstream((response) =>
      response.end(frames.start + frames.blockStart + frames.text('fine') + frames.end(5)),
    );
    upstreams.push(working);
    const models: { name: string; urls: string[] }[] = [];
    for (const [, name, fail] of failures) {
      const failing = await startUpstream((response) => {
        asked.add(name);
        fail(response);
      });
      upstreams.push(failing);
      models.push({ name, urls: [failing.url, working.url] });
    }
    const gone = await startUpstream(() => {});
    await gone.stop();
    catalog = catalogOf([...models, { name: 'gone', urls: [gone.url] }]);
    gateway = await startGateway({ args: ['--catalog', catalog.path] });
  });
  afterAll(async () => {
    await gateway.stop();
    for (const { stop } of upstreams) await stop();
    catalog.remove();
  });

  it.each(failures)('%s is followed by the next one, which is billed', async (_how, name) => {
    const response = await post(gateway, '/messages', { ...requestTo(name), stream: false });

    expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'fine' }] });
    expect(asked).toContain(name);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    // The cost is 10 × 0.0001 + 5 × 0.0003, at the prices of the second endpoint.
    expect(generation).toMatchObject({
      provider_name: `${name}-1`,
      endpoint_id: `test/${name}/1`,
      total_cost: 0.0025,
    });
  });

  it('has its error returned if no other remains', async () => {
    const response = await post(gateway, '/messages', requestTo('gone'));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: { type: 'api_error', metadata: { error_type: 'provider_unavailable', provider_name: 'gone-0' } },
    });
  });
});

describe('200 concurrent requests against a limit with room for 33', () => {
  it('are admitted 33 times, refused with the amounts otherwise, and add up to the last digit', async () => {
    const gateway = gatewayAnswering((response) =>
      response.end(frames.start + frames.blockStart + frames.text('x') + frames.end(1)),
    );
    const client = await newClient(gateway, 33.5);

    const responses = await Promise.all(
      Array.from({ length: 200 }, () => post(client, '/messages', { model: 'test/flat', messages: [said('x')] })),
    );

    const passed = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 402);
    expect([passed.length, refused.length]).toEqual([33, 167]);
    expect(await refused[0]!.json()).toMatchObject({
      error: { metadata: { limit_source: 'key_limit', limit_rub: '33.5', required_rub: '1' } },
    });
    for (const response of passed) await finalGeneration(client, response.headers.get('x-generation-id')!);
    const info = (await (await get(client, '/key')).json()) as { data: Record<string, number> };
    expect(info.data).toMatchObject({ usage: 33, usage_daily: 33, limit_remaining: 0.5 });
  });
});

/** Returns whether a call is about endpoint health. These calls are concurrent, and no request waits for them. */
const isBeside = ({ body }: DynamodbCall) => body.includes('HEALTH#');

describe('round trips to DynamoDB before the first byte', () => {
  it('are three for the first request of a key, then one, and two if the cached caller has expired', async () => {
    const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
    stops.push(proxy.stop);
    let finish: (() => void) | undefined;
    // The answer ends after its first byte was read: otherwise its settlement may be received before this byte.
    const upstream = await startUpstream((response) => {
      response.write(frames.start + frames.blockStart + frames.text('x'));
      finish = () => response.end(frames.end(1));
    });
    const gateway = await gatewayBefore([upstream], { DYNAMODB_ENDPOINT: proxy.endpoint, CALLER_CACHE_MS: '14000' });
    const client = await newClient(gateway, 1_000);
    proxy.before = (call) => (isBeside(call) ? new Promise(() => {}) : undefined);
    /** Ids of earlier generations, whose settlements and roll-ups may be late on a busy machine. */
    const earlier: string[] = [];
    const callsUntilFirstByte = async (): Promise<string[]> => {
      await untilQuiet(proxy);
      const from = proxy.calls.length;
      const response = await open(client);
      await new Promise((resolve) => response.once('data', resolve));
      const upToFirstByte = proxy.calls.slice(from);
      finish!();
      response.resume();
      const awaited = upToFirstByte.filter((call) => !isBeside(call) && !earlier.some((id) => call.body.includes(id)));
      earlier.push(String(response.headers['x-generation-id']));
      return awaited.map(({ action }) => action);
    };

    expect(await callsUntilFirstByte()).toEqual(['GetItem', 'BatchGetItem', 'TransactWriteItems']);
    expect(await callsUntilFirstByte()).toEqual(['TransactWriteItems']);
    await expect.poll(callsUntilFirstByte).toEqual(['BatchGetItem', 'TransactWriteItems']);
  });
});
