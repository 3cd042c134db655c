/**
 * Whether streams in one process disturb each other: the longest pause between two pieces of any of them, while nothing else happens,
 * while others send what costs most to read, and while a fault escapes.
 * Usage: npm run bench:server [-- <streams>]
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogDirectory, textModel } from '../support/catalog.ts';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { descendantsOf, residentMb } from '../support/processes.ts';
import { median } from './load.ts';
import { pin, startPinned } from './processes.ts';

const DEFAULT_STREAMS = 50;
const ROUNDS = 5;
/** A piece each 20 milliseconds, for four seconds. */
const SHAPE = '200x20';
const DISTURBED_AFTER_MS = 1_000;

const { positionals } = parseArgs({ allowPositionals: true });
const count = Number(positionals[0] ?? DEFAULT_STREAMS);

/** The server alone has one core; what asks it, answers it and stands for AWS shares the other. */
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
  // What a process does once is done.
  for (let round = 0; round < 2; round += 1) await longestPauseMs(async () => undefined);
  for (const [name, disturb] of Object.entries(disturbances())) {
    const pauses: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) pauses.push(await longestPauseMs(disturb));
    process.stdout.write(
      `${name.padEnd(60)}median ${median(pauses).toFixed(0)} ms, worst ${Math.max(...pauses).toFixed(0)} ms\n`,
    );
  }
  process.stdout.write(`${'memory of the server'.padEnd(60)}${residentMb(serverPid()).toFixed(0)} MB\n`);
} finally {
  await gateway.stop();
  await mock.stop();
  catalog.remove();
}

function catalogOfMock() {
  const provider = (id: string, path: string) => ({
    id,
    name: id,
    wire: 'anthropic',
    base_url: `${upstreamUrl}${path}`,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  });
  const model = (id: string) =>
    textModel(
      `bench/${id}`,
      [{ provider: id, upstream_model: SHAPE, pricing: { prompt: '0.0001', completion: '0.0005' } }],
      { context_length: 5_000_000 },
    );
  // A fault of ours escapes wherever this path is asked for.
  return catalogDirectory([model('sound'), model('faulty')], [provider('sound', ''), provider('faulty', '/response')]);
}

async function startServer(): Promise<RunningGateway> {
  const saboteur = new URL('../support/saboteur.mjs', import.meta.url).href;
  const started = await startGateway({
    args: ['--web', '--catalog', catalog.path],
    env: { NODE_OPTIONS: `--import=${saboteur}` },
  });
  for (const { pid } of descendantsOf(started.process.pid!)) pin(pid, AROUND);
  pin(started.process.pid!, AROUND);
  const server = { ...started, baseUrl: started.webUrl };
  pin(serverPidOf(server), MEASURED);
  return server;
}

function serverPid(): number {
  return serverPidOf(gateway);
}

function serverPidOf({ process: { pid } }: RunningGateway): number {
  const isServer = ({ command }: { command: string }) => command.includes('/server-') && !command.includes('--beside');
  return descendantsOf(pid!).find(isServer)!.pid;
}

function disturbances(): Record<string, () => Promise<unknown>> {
  const asked = (model: string, content: unknown) => ({
    model: `bench/${model}`,
    max_tokens: 1_000,
    stream: true,
    messages: [{ role: 'user', content }],
  });
  const send = async (body: unknown) => (await post(gateway, '/messages', body)).text().catch(() => '');
  const parts = JSON.stringify(
    asked(
      'sound',
      Array.from({ length: 30_000 }, () => ({ type: 'text', text: 'x' })),
    ),
  );
  const large = JSON.stringify(asked('sound', 'word '.repeat(900_000)));
  const small = JSON.stringify(
    asked(
      'sound',
      Array.from({ length: 8_000 }, () => ({ type: 'text', text: 'x' })),
    ),
  );
  return {
    'nothing else': async () => undefined,
    'four bodies of 30,000 parts': () => Promise.all(Array.from({ length: 4 }, () => send(parts))),
    'four bodies of 4.5 MB': () => Promise.all(Array.from({ length: 4 }, () => send(large))),
    'a body of 8,000 parts, which is read in the process': () => send(small),
    'a fault that escapes': () => send(asked('faulty', 'Hi')),
  };
}

/** Runs all streams to their end, with what disturbs them in the middle. @returns the longest pause of any */
async function longestPauseMs(disturb: () => Promise<unknown>): Promise<number> {
  const streams = Array.from({ length: count }, () => pauseOfStreamMs());
  const disturbed = sleep(DISTURBED_AFTER_MS).then(disturb);
  const [pauses] = await Promise.all([Promise.all(streams), disturbed]);
  return Math.max(...pauses);
}

/** @throws {Error} for a stream that is not whole */
async function pauseOfStreamMs(): Promise<number> {
  const body = JSON.stringify({
    model: 'bench/sound',
    max_tokens: 1_000,
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const outgoing = http.request(`${gateway.baseUrl}/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
  });
  outgoing.end(body);
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
