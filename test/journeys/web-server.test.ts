import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { freePort } from '../../lib/shared/free-port.ts';
import { runSmoke } from '../../lib/smoke/run.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { repeated } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import { descendantsOf } from '../support/processes.ts';
import { readEvents, summarize } from '../support/sse.ts';
import { frames } from '../support/upstream.ts';

/** In long runs, two hundred streams of fifteen seconds; in other runs, forty streams of one second. */
const STREAMS = repeated(200, { ofWhichAlways: 40 });
const WORDS = repeated(300, { ofWhichAlways: 40 });
const WORD_EVERY_MS = repeated(50, { ofWhichAlways: 25 });
const PROMPT = '0.0001';
const COMPLETION = '0.0002';

let upstream: Listening;
/** Responses that the provider is still writing. */
const working = new Set<http.ServerResponse>();
let catalog: CatalogDirectory;
let gateway: RunningGateway;

/** Sends as many words as the prompt requests, one at a time. */
async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  working.add(response);
  response.once('close', () => working.delete(response));
  let body = '';
  for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString();
  const [{ content }] = (JSON.parse(body) as { messages: [{ content: string }] }).messages;
  const count = Number(/^\d+/.exec(content)?.[0] ?? 1);
  response.write(frames.start + frames.blockStart);
  for (let word = 0; word < count && !response.destroyed; word += 1) {
    response.write(frames.text(`w${word} `));
    await sleep(WORD_EVERY_MS);
  }
  response.end(frames.end(count));
}

beforeAll(async () => {
  upstream = await listen(http.createServer((request, response) => void answer(request, response)));
  const provider = (id: string, path: string) => ({
    id,
    name: id,
    wire: 'anthropic',
    base_url: `${upstream.url}${path}`,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
    timeouts: { first_byte_ms: 2_000, idle_ms: 2_000 },
  });
  const pricing = { prompt: PROMPT, completion: COMPLETION };
  catalog = catalogDirectory(
    [
      textModel('test/plain', [{ provider: 'plain', pricing }], { context_length: 5_000_000 }),
      textModel('test/faulty', [{ provider: 'faulty', pricing }]),
    ],
    [provider('plain', ''), provider('faulty', '/response/')],
  );
  gateway = await startServer();
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

/** Starts a gateway with the web server, and returns a client of the web server. */
async function startServer(): Promise<RunningGateway> {
  const crashInjector = new URL('../support/crash-injector.mjs', import.meta.url).href;
  const started = await startGateway({
    args: ['--web', '--catalog', catalog.path],
    env: { NODE_OPTIONS: `--import=${crashInjector}` },
  });
  return { ...started, baseUrl: started.webUrl };
}

const processes = async () =>
  (await descendantsOf(gateway.process.pid!)).filter(({ argv }) => argv[1]!.includes('/server-'));
const serverProcess = async () => (await processes()).find(({ argv }) => !argv.includes('--beside'))!;
const besideProcess = async () => (await processes()).find(({ argv }) => argv.includes('--beside'))!;

/** Starts another process of the server, with the variables that Lambda would set; undefined removes a variable. */
async function startProgram(endpoint: string, more: Record<string, string | undefined> = {}): Promise<ChildProcess> {
  const { argv, environment } = await serverProcess();
  return spawn(process.execPath, [argv.findLast((part) => part.endsWith('.mjs'))!], {
    env: { ...environment, AWS_LAMBDA_HTTP_ENDPOINT: endpoint, ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

const ask = (words: number, more = '') => ({
  model: 'test/plain',
  max_tokens: 1_000,
  stream: true,
  messages: [said(`${words} ${more}`)],
});

async function wholeStream(server: RunningGateway, words: number, more = '') {
  const response = await post(server, '/messages', ask(words, more));
  expect(response.status).toBe(200);
  return { id: response.headers.get('x-generation-id')!, ...summarize(await readEvents(response)) };
}

const textOf = (words: number) => Array.from({ length: words }, (_, word) => `w${word} `).join('');

/** Returns a client with a limited key, and a function that reads the amounts spent and held. */
async function limitedKey(limit: number): Promise<{ server: RunningGateway; state: () => Promise<[string, string]> }> {
  const { body } = await manage({ ...gateway, baseUrl: gateway.anthropicUrl + '/v1' }, 'POST', '/keys', {
    name: `limited to ${limit}`,
    limit,
  });
  const server = { ...gateway, key: (body as { key: string }).key };
  const state = async (): Promise<[string, string]> => {
    const answered = await fetch(`${gateway.anthropicUrl}/v1/key`, { headers: { 'x-api-key': server.key } });
    const { data: key } = (await answered.json()) as { data: { usage: number; limit_remaining: number } };
    return [String(key.usage), String(key.limit_remaining)];
  };
  return { server, state };
}

/** Opens uploads. A refused upload is sent again, so that in the end all uploads are open. */
function openUploads(count: number): { close: () => void } {
  const { hostname, port } = new URL(gateway.baseUrl);
  const open = new Set<http.ClientRequest>();
  const send = () => {
    const upload = http.request({ hostname, port, method: 'POST', path: '/v1/messages', agent: false });
    open.add(upload);
    upload.setHeader('content-length', 6_000_000);
    upload.on('error', () => undefined);
    upload.on('response', (refusal) => refusal.resume());
    upload.once('close', () => open.delete(upload) && send());
    upload.write('x'.repeat(5_900_000));
  };
  for (let upload = 0; upload < count; upload += 1) send();
  return {
    close() {
      const all = [...open];
      open.clear();
      for (const upload of all) upload.destroy();
    },
  };
}

/** Sends a body of 6 MB, about the maximum of JSON, and returns the response's status and `retry-after`. */
async function sendLarge(): Promise<[number, string | null]> {
  const { status, headers } = await fetch(`${gateway.baseUrl}/messages`, {
    method: 'POST',
    body: 'x'.repeat(6_000_000),
  });
  return [status, headers.get('retry-after')];
}

describe('the web server', () => {
  it('passes the smoke checks of a deployment', async () => {
    const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const code = await runSmoke(['--json', '--url', gateway.baseUrl, '--model', 'test/plain'], {
      GATEWAY_KEY: gateway.key,
    });
    const report = String(out.mock.calls[0]![0]);
    out.mockRestore();

    expect(JSON.parse(report)).toMatchObject({ passed: true });
    expect(code).toBe(0);
  });

  it('refuses management routes with the base URL of the API', async () => {
    const response = await fetch(`${gateway.baseUrl}/keys`, { headers: { 'x-api-key': gateway.managementKey } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('base URL of the API') as string },
    });
  });

  it(`answers ${STREAMS} concurrent streams, complete and to the last digit`, async () => {
    const { server, state } = await limitedKey(1_000);

    const answers = await Promise.all(Array.from({ length: STREAMS }, () => wholeStream(server, WORDS)));

    for (const { text, stopReason } of answers) {
      expect([text, stopReason]).toEqual([textOf(WORDS), 'end_turn']);
    }
    const each = Money.parse(PROMPT).times(10).plus(Money.parse(COMPLETION).times(WORDS));
    const spent = each.times(STREAMS);
    await expect.poll(state).toEqual([spent.toString(), Money.parse('1000').minus(spent).toString()]);
    expect((await serverProcess()).peakMb).toBeLessThan(400);
  });

  it('ends the work of the provider if a client disconnects, with a small or large request', async () => {
    for (const more of ['', 'x'.repeat(400_000)]) {
      const leaving = new AbortController();
      const response = await fetch(`${gateway.baseUrl}/messages`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
        body: JSON.stringify(ask(500, more)),
      });
      await response.body!.getReader().read();
      expect(working.size).toBe(1);

      leaving.abort();

      await expect.poll(() => working.size).toBe(0);
      const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
      expect(generation).toMatchObject({ cancelled: true });
    }
  });
});

describe('an uncaught error', () => {
  it('fails its request, and affects no other', async () => {
    const { pid: before } = await serverProcess();
    const other = wholeStream(gateway, 60);

    const failed = await post(gateway, '/messages', { ...ask(3), model: 'test/faulty', stream: false });
    await failed.text();

    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect((await other).text).toBe(textOf(60));
    expect((await serverProcess()).pid).toBe(before);
    expect(gateway.log()).toContain('"uncaught error"');
  });
});

describe('a large request', () => {
  it('is answered in another process, so that others continue', async () => {
    await wholeStream(gateway, 1, 'x'.repeat(400_000));
    const before = await Promise.all([serverProcess(), besideProcess()]);
    // The body has the maximum number of values, each of which is read and checked.
    const hostile = {
      ...ask(1),
      messages: [{ role: 'user', content: Array.from({ length: 30_000 }, () => ({ type: 'text', text: 'x' })) }],
    };

    const answers = await Promise.all(Array.from({ length: 4 }, () => post(gateway, '/messages', hostile)));

    for (const response of answers) expect(response.status).toBeLessThan(500);
    await Promise.all(answers.map((response) => response.text()));
    const after = await Promise.all([serverProcess(), besideProcess()]);
    const [main, beside] = after.map(({ cpuMs }, index) => cpuMs - before[index]!.cpuMs);
    expect(main).toBeLessThan(beside! / 2);
  });

  it('is answered by a new process after the process for large requests was killed', async () => {
    await wholeStream(gateway, 1, 'x'.repeat(400_000));
    const { pid: dying } = await besideProcess();
    const open = await post(gateway, '/messages', ask(400, 'x'.repeat(400_000)));

    process.kill(dying, 'SIGKILL');

    await expect(readEvents(open)).rejects.toThrow();
    expect((await wholeStream(gateway, 3, 'x'.repeat(400_000))).text).toBe(textOf(3));
    expect((await besideProcess()).pid).not.toBe(dying);
  });

  it('is refused with a retry time while others use the memory, and answered afterwards', async () => {
    const uploads = openUploads(5);

    // A request that arrives before the uploads were read is refused as invalid.
    await expect.poll(sendLarge).toEqual([529, '1']);
    uploads.close();
    await expect.poll(async () => (await post(gateway, '/messages', ask(1, 'x'.repeat(400_000)))).status).toBe(200);
  });
});

/** Server of a container's credentials. Each response has other credentials, which must be replaced a second later. */
function roleOfContainer(): { server: http.Server; given: string[] } {
  const given: string[] = [];
  const server = http.createServer((_request, response) => {
    given.push(`TOKEN-${given.length + 1}`);
    const refreshedFromMs = Date.now() + 5 * 60_000 + 1_000;
    const keys = {
      AccessKeyId: 'ID',
      SecretAccessKey: 'SECRET',
      Token: given.at(-1),
      Expiration: new Date(refreshedFromMs),
    };
    response.end(JSON.stringify(keys));
  });
  return { server, given };
}

/**
 * Returns a proxy for the table.
 * @param seen receives the token of each write, in order
 */
function tableOfRole(target: string, seen: string[]): http.Server {
  return http.createServer((request, response) => {
    const { 'x-amz-target': action, 'x-amz-security-token': token } = request.headers;
    if (/TransactWriteItems|UpdateItem|PutItem/.test(String(action))) seen.push(String(token));
    const on = http.request(target, { method: 'POST', headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    request.pipe(on);
  });
}

describe('the web server in a container', () => {
  it('continues with the new credentials of its role, which change in the middle of its streams', async () => {
    const role = roleOfContainer();
    const seen: string[] = [];
    const [keys, dynamodb] = await Promise.all([
      listen(role.server),
      listen(tableOfRole(gateway.table().endpoint!, seen)),
    ]);
    const endpoint = `127.0.0.1:${await freePort()}`;
    const program = await startProgram(endpoint, {
      DYNAMODB_ENDPOINT: undefined,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${keys.url}/role`,
    });
    const server = { ...gateway, baseUrl: `http://${endpoint}/v1` };
    const health = () => fetch(`${server.baseUrl}/health`).then(({ status }) => status, String);
    await expect.poll(health).toBe(200);

    const words = Math.ceil(4_000 / WORD_EVERY_MS);
    const streams = await Promise.all(Array.from({ length: 5 }, () => wholeStream(server, words)));
    // The end of a stream is settled through the queue, so the next request writes to the table.
    await wholeStream(server, 1);
    const api = { ...gateway, baseUrl: `${gateway.anthropicUrl}/v1` };
    const generations = await Promise.all(streams.map(({ id }) => finalGeneration(api, id)));
    program.kill('SIGTERM');
    await once(program, 'exit');
    await Promise.all([keys.stop(), dynamodb.stop()]);

    expect(new Set(streams.map(({ text: said }) => said))).toEqual(new Set([textOf(words)]));
    expect(new Set(generations.map(({ tokens_completion: count }) => count))).toEqual(new Set([words]));
    // Credentials were replaced in time: later writes to the table were signed with newer credentials.
    expect(role.given.length).toBeGreaterThan(1);
    expect(seen[0]).toBe('TOKEN-1');
    expect(seen.at(-1)).not.toBe('TOKEN-1');
  });
});

describe('the web server as a Web Function', () => {
  it('listens at the address from Lambda, and ends within the second that Lambda gives it', async () => {
    const endpoint = `127.0.0.1:${await freePort()}`;
    const program = await startProgram(endpoint);
    const baseUrl = `http://${endpoint}/v1`;
    const health = () => fetch(`${baseUrl}/health`).then(({ status }) => status, String);
    await expect.poll(health).toBe(200);
    const open = await post({ ...gateway, baseUrl }, '/messages', ask(900));
    const reading = readEvents(open);

    program.kill('SIGTERM');
    const endedAtMs = performance.now();

    expect((await reading).at(-1)).toMatchObject({ type: 'error' });
    expect(await once(program, 'exit')).toEqual([0, null]);
    expect(performance.now() - endedAtMs).toBeLessThan(1_000);
  });

  it('logs a failed start, because Lambda would send it all requests nevertheless', async () => {
    const program = await startProgram('nonsense');
    const [log, [code]] = await Promise.all([text(program.stderr!), once(program, 'exit')]);
    expect(code).toBe(1);
    expect(log).toContain('"message":"the server did not start"');
  });
});

/**
 * Starts the server without Lambda. At shutdown, running answers have two seconds to complete, and the server has two
 * more seconds to end the others.
 */
async function startContainer(): Promise<{ server: RunningGateway; program: ChildProcess }> {
  const port = await freePort();
  const program = await startProgram('', {
    AWS_LAMBDA_HTTP_ENDPOINT: undefined,
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    GATEWAY_GRACE_SECONDS: '4',
  });
  const server = { ...gateway, baseUrl: `http://127.0.0.1:${port}/v1` };
  const health = () => fetch(`${server.baseUrl}/health`).then(({ status }) => status, String);
  await expect.poll(health).toBe(200);
  return { server, program };
}

describe('a container that is stopped', () => {
  it('refuses new requests, completes running answers, and ends the others so that they can be sent again', async () => {
    const { server: limited, state } = await limitedKey(1_000);
    const { server, program } = await startContainer();
    const own = { ...limited, baseUrl: server.baseUrl };
    const whole = { ...ask(200), stream: false };
    const claim = { 'idempotency-key': 'cut-by-a-stop' };
    const long = await post(own, '/messages', ask(400));
    const [readingLong, short, cut] = [readEvents(long), wholeStream(own, 10), post(own, '/messages', whole, claim)];
    await expect.poll(() => working.size).toBe(3);

    program.kill('SIGTERM');
    const exited = once(program, 'exit');
    await expect.poll(() => post(own, '/messages', ask(1)).then(({ status }) => status)).toBe(529);
    const refused = await post(own, '/messages', ask(1));

    expect(Object.fromEntries(refused.headers)).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error', code: 529 } });
    expect(await short).toMatchObject({ text: textOf(10), stopReason: 'end_turn' });
    expect((await readingLong).at(-1)).toMatchObject({ type: 'error' });
    const { status, headers } = await cut;
    expect([status, headers.get('retry-after'), headers.get('x-should-retry')]).toEqual([529, '1', null]);
    expect(await exited).toEqual([0, null]);

    const again = await post(limited, '/messages', whole, claim);
    expect(again.status).toBe(200);
    const api = { ...limited, baseUrl: `${gateway.anthropicUrl}/v1` };
    const ids = [long, await cut, again].map((answer) => answer.headers.get('x-generation-id')!);
    const [, ofCut, ofAgain] = await Promise.all(ids.map((id) => finalGeneration(api, id)));
    // The provider had reported its count of the prompt, but not yet of its output.
    expect(Number(ofCut!['total_cost'])).toBeLessThan(Number(ofAgain!['total_cost']) / 10);
    await expect.poll(async () => (await state()).reduce((sum, amount) => sum + Number(amount), 0)).toBeCloseTo(1_000);
  });
});

describe('an end of the web server in the middle of streams', () => {
  it('reports it in each stream, charges the reported usage, and leaves no hold', async () => {
    const { server, state } = await limitedKey(2_000);
    const requests = [...Array(10).keys()].map((index) => (index === 0 ? 'x'.repeat(400_000) : ''));
    const streams = await Promise.all(requests.map((more) => post(server, '/messages', ask(900, more))));
    const reading = streams.map((stream) => readEvents(stream));
    await expect.poll(() => working.size).toBe(10);

    process.kill((await serverProcess()).pid, 'SIGTERM');

    const ends = await Promise.all(reading);
    for (const events of ends) expect(events.at(-1)).toMatchObject({ type: 'error' });
    await expect.poll(() => working.size).toBe(0);
    await expect.poll(processes).toEqual([]);
    const ids = streams.map((stream) => stream.headers.get('x-generation-id')!);
    const api = { ...server, baseUrl: `${gateway.anthropicUrl}/v1` };
    const generations = await Promise.all(ids.map((id) => finalGeneration(api, id)));
    const spent = Money.sum(generations.map(({ total_cost: cost }) => Money.parse(String(cost))));
    await expect.poll(state).toEqual([spent.toString(), Money.parse('2000').minus(spent).toString()]);
    for (const generation of generations) expect(generation['tokens_completion']).toBeGreaterThanOrEqual(1);
  });
});
