/**
 * Measures the longest pause between two pieces of concurrent streams in one process: alone, with expensive requests,
 * and during an uncaught error.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { catalogDirectory, textModel } from '../support/catalog.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { descendantsOf, type ProcessReport } from '../support/processes.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { median } from './load.ts';
import { pin, startPinned } from './processes.ts';

const DEFAULT_STREAMS = 50;
const ROUNDS = 5;
/** A piece every 20 milliseconds, for four seconds. */
const SHAPE = '200x20';
const DISTURBED_AFTER_MS = 1_000;

const usage = `Usage: npm run bench:server [-- <streams>]

Measures the longest pause in this number of concurrent streams (default: ${DEFAULT_STREAMS}).`;
const { positionals } = toolArguments(usage, { allowPositionals: true });
const count = Number(positionals[0] ?? DEFAULT_STREAMS);

/** The server has one core; the client, the upstream and the emulators of AWS share the other. */
const [AROUND, MEASURED] = [0, 1];
pin(process.pid, AROUND);
const mock = await startPinned(AROUND, [
  process.execPath,
  fileURLToPath(new URL('./mock-upstream.ts', import.meta.url)),
]);
const upstreamUrl = `http://127.0.0.1:${mock.firstLine}`;
const catalog = catalogOfMock();
const gateway = await startServer();
try {
  // The first rounds include work that the process does only once.
  for (let round = 0; round < 2; round += 1) await longestPauseMs(async () => undefined);
  for (const [name, disturb] of Object.entries(disturbances())) {
    const pauses: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) pauses.push(await longestPauseMs(disturb));
    process.stdout.write(
      `${name.padEnd(60)}median ${median(pauses).toFixed(0)} ms, worst ${Math.max(...pauses).toFixed(0)} ms\n`,
    );
  }
  process.stdout.write(`${'memory of the server'.padEnd(60)}${(await serverOf(gateway)).residentMb.toFixed(0)} MB\n`);
} finally {
  await gateway.stop();
  await mock.stop();
  catalog.remove();
}

function providerOfMock(id: string, path: string): object {
  return {
    id,
    name: id,
    wire: 'anthropic',
    base_url: `${upstreamUrl}${path}`,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  };
}

/** Returns a catalog with two providers. The path of the second provider makes the crash injector throw. */
function catalogOfMock() {
  const pricing = { prompt: '0.0001', completion: '0.0005' };
  const models = ['sound', 'faulty'].map((provider) =>
    textModel(`bench/${provider}`, [{ provider, upstream_model: SHAPE, pricing }], { context_length: 5_000_000 }),
  );
  return catalogDirectory(models, [providerOfMock('sound', ''), providerOfMock('faulty', '/response')]);
}

async function startServer(): Promise<RunningGateway> {
  const crashInjector = new URL('../support/crash-injector.mjs', import.meta.url).href;
  const started = await startGateway({
    args: ['--web', '--catalog', catalog.path],
    env: { NODE_OPTIONS: `--import=${crashInjector}` },
  });
  for (const { pid } of await descendantsOf(started.process.pid!)) pin(pid, AROUND);
  pin(started.process.pid!, AROUND);
  const server = { ...started, baseUrl: started.webUrl };
  pin((await serverOf(server)).pid, MEASURED);
  return server;
}

async function serverOf({ process: { pid } }: RunningGateway): Promise<ProcessReport> {
  const servers = (await descendantsOf(pid!)).filter(({ argv }) => argv[1]!.includes('/server-'));
  return servers.find(({ argv }) => !argv.includes('--beside'))!;
}

function bodyOf(model: string, content: unknown): string {
  const messages = [{ role: 'user', content }];
  return JSON.stringify({ model: `bench/${model}`, max_tokens: 1_000, stream: true, messages });
}

function textsOf(count: number): object[] {
  return Array.from({ length: count }, () => ({ type: 'text', text: 'x' }));
}

async function send(body: string, times: number): Promise<void> {
  const answers = Array.from({ length: times }, () => post(gateway, '/messages', body));
  await Promise.allSettled((await Promise.all(answers)).map((answer) => answer.text()));
}

function disturbances(): Record<string, () => Promise<void>> {
  const [parts, large, small] = [textsOf(30_000), 'word '.repeat(900_000), textsOf(8_000)].map((content) =>
    bodyOf('sound', content),
  ) as [string, string, string];
  return {
    'nothing else': async () => undefined,
    'four bodies of 30,000 parts': () => send(parts, 4),
    'four bodies of 4.5 MB': () => send(large, 4),
    'a body of 8,000 parts, which is read in the process': () => send(small, 1),
    'a fault that escapes': () => send(bodyOf('faulty', 'Hi'), 1),
  };
}

/** Returns the longest pause of any stream, with a disturbance after a second. */
async function longestPauseMs(disturb: () => Promise<unknown>): Promise<number> {
  const streams = Array.from({ length: count }, () => pauseOfStreamMs());
  const disturbed = sleep(DISTURBED_AFTER_MS).then(disturb);
  const [pauses] = await Promise.all([Promise.all(streams), disturbed]);
  return Math.max(...pauses);
}

/**
 * Returns the longest pause of one stream.
 * @throws {Error} if the stream is incomplete
 */
async function pauseOfStreamMs(): Promise<number> {
  const outgoing = http.request(`${gateway.baseUrl}/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
  });
  outgoing.end(bodyOf('sound', 'Hi'));
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  let longestMs = 0;
  let lastMs: number | undefined;
  let end = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const nowMs = performance.now();
    if (lastMs !== undefined) longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    end = `${end}${chunk.toString('latin1')}`.slice(-200);
  }
  if (!end.includes('event: message_stop')) throw new Error(`A stream is not whole: ${response.statusCode} ${end}`);
  return longestMs;
}
