import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamodb } from '../../lib/local/dynamodb.ts';
import { LocalState } from '../../lib/local/state.ts';
import { admin } from '../support/admin.ts';
import { startCapacityMeter, type CapacityMeter } from '../support/capacity-meter.ts';
import { load, percentile, request, type Target } from './load.ts';
import { cpuMs, pinSelf, residentMb, startPinned } from './processes.ts';

/**
 * What the gateway adds: the same requests straight to a mock upstream and through the gateway, in interleaved rounds on
 * loopback. Everything is on: authentication, a hold against a limited key, the record, settlement through the queue.
 * The mock, the client and DynamoDB share one core, the gateway (with its queue and workers) has the other.
 */
const ROUNDS = 4;
const usage = `Usage: npm run bench -- [--json] [--quick]

  --json   print the figures as JSON only
  --quick  a tenth of the requests: to see that it runs, not to compare`;

if (process.argv.includes('--help')) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const json = process.argv.includes('--json');
const scale = process.argv.includes('--quick') ? 0.1 : 1;
const count = (full: number) => Math.max(8, Math.round(full * scale));
const progress = (text: string) => process.stderr.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
pinSelf(0);
const dynamodb = await startDynamodb(undefined);
const meter = await startCapacityMeter(dynamodb.endpoint);
const mock = await startPinned(0, [path('./mock-upstream.ts')]);
const upstreamUrl = `http://127.0.0.1:${mock.firstLine}`;
writeCatalog(upstreamUrl);

async function startGateway(endpoint: string, name: string) {
  const data = join(directory, name);
  const gateway = await startPinned(
    1,
    // As `npm start` does it.
    [
      '--max-semi-space-size=8',
      path('../../bin/local.ts'),
      '--port',
      '0',
      '--json',
      '--data',
      data,
      '--catalog',
      join(directory, 'catalog'),
    ],
    { DYNAMODB_ENDPOINT: endpoint },
  );
  const { base_url: baseUrl } = JSON.parse(gateway.firstLine) as { base_url: string };
  const { key } = await admin(
    data,
    'keys',
    'create',
    '--name',
    'bench',
    '--limit',
    '100000000',
    '--limit-reset',
    'daily',
  );
  const target: Target = {
    url: `${baseUrl}/messages`,
    headers: { 'x-api-key': key as string },
    body: (model, stream) =>
      JSON.stringify({
        model: `bench/${model}`,
        max_tokens: 1_000,
        stream,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
  };
  return { ...gateway, target, pid: LocalState.at(data).running()!.pid };
}

const direct: Target = {
  url: `${upstreamUrl}/v1/messages`,
  headers: {},
  body: (model) => JSON.stringify({ model, max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] }),
};

try {
  const gateway = await startGateway(dynamodb.endpoint, 'measured');
  progress('warming up');
  await load(count(2_000), 16, () => request(gateway.target, '10x0', false));
  await load(count(300), 16, () => request(direct, '10x0', true));

  const figures = {
    ...(await measureLatency(gateway)),
    ...(await measureThroughput(gateway)),
    ...(await measureStreams(gateway)),
    ...(await measureTable()),
  };
  await gateway.stop();
  process.stdout.write(json ? `${JSON.stringify(figures)}\n` : table(figures));
} finally {
  await mock.stop();
  meter.stop();
  await dynamodb.stop();
  rmSync(directory, { recursive: true, force: true });
}

type Measured = Awaited<ReturnType<typeof startGateway>>;

async function measureLatency(gateway: Measured): Promise<Record<string, number>> {
  const totals = { direct: [] as number[], gateway: [] as number[] };
  const firsts = { direct: [] as number[], gateway: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`latency, round ${round} of ${ROUNDS}`);
    const plain = await load(count(200), 1, () => request(direct, '10x0', true));
    const through = await load(count(200), 1, () => request(gateway.target, '10x0', false));
    const plainStream = await load(count(100), 1, () => request(direct, '5x2', true));
    const throughStream = await load(count(100), 1, () => request(gateway.target, '5x2', true));
    totals.direct.push(...plain.timings.map(({ totalMs }) => totalMs));
    totals.gateway.push(...through.timings.map(({ totalMs }) => totalMs));
    firsts.direct.push(...plainStream.timings.map(({ firstByteMs }) => firstByteMs));
    firsts.gateway.push(...throughStream.timings.map(({ firstByteMs }) => firstByteMs));
  }
  return {
    added_p50_ms: percentile(totals.gateway, 0.5) - percentile(totals.direct, 0.5),
    added_p99_ms: percentile(totals.gateway, 0.99) - percentile(totals.direct, 0.99),
    added_first_byte_p50_ms: percentile(firsts.gateway, 0.5) - percentile(firsts.direct, 0.5),
    added_first_byte_p99_ms: percentile(firsts.gateway, 0.99) - percentile(firsts.direct, 0.99),
  };
}

async function measureThroughput(gateway: Measured): Promise<Record<string, number>> {
  progress('throughput, 32 at a time');
  const requests = count(3_000);
  const before = cpuMs(gateway.pid);
  const { elapsedMs } = await load(requests, 32, () => request(gateway.target, '10x0', false));
  await settled();
  const cpuPerRequest = (cpuMs(gateway.pid) - before) / requests;
  return {
    cpu_ms_per_request: cpuPerRequest,
    requests_per_second: (requests * 1000) / elapsedMs,
    requests_per_second_per_core: 1000 / cpuPerRequest,
  };
}

async function measureStreams(gateway: Measured): Promise<Record<string, number>> {
  progress('128 streams of 100 chunks, 20 ms apart');
  const streams = 128;
  const chunks = 100;
  const before = cpuMs(gateway.pid);
  let peakMb = residentMb(gateway.pid);
  const watch = setInterval(() => (peakMb = Math.max(peakMb, residentMb(gateway.pid))), 50);
  await load(streams, streams, () => request(gateway.target, `${chunks}x20`, true));
  clearInterval(watch);
  await settled();
  const cpu = cpuMs(gateway.pid) - before;
  return { cpu_us_per_chunk: (cpu * 1000) / (streams * chunks), peak_mb_at_128_streams: peakMb };
}

/** Calls and units are counted through a proxy, so this gateway is not the one that is timed. */
async function measureTable(): Promise<Record<string, number>> {
  progress('DynamoDB calls and units');
  const gateway = await startGateway(meter.endpoint, 'counted');
  const requests = count(200);
  await load(20, 4, () => request(gateway.target, '10x0', false));
  await settled();
  meter.reset();
  await load(requests, 4, () => request(gateway.target, '10x0', false));
  await settled();
  const { calls, units } = snapshot(meter);
  await gateway.stop();
  return { dynamodb_calls_per_request: calls / requests, dynamodb_units_per_request: units / requests };
}

function snapshot({ calls, units }: CapacityMeter) {
  return { calls: Object.values(calls).reduce((sum, number) => sum + number, 0), units };
}

/** Settlements follow their requests by milliseconds; they belong to what was measured. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000));
}

function table(figures: Record<string, number>): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(width)}  ${value.toFixed(2).padStart(10)}\n`)
    .join('');
}

function writeCatalog(url: string): void {
  const target = join(directory, 'catalog');
  const policy = { logs_prompts: false, trains_on_prompts: false };
  mkdirSync(join(target, 'models'), { recursive: true });
  const provider = { id: 'mock', name: 'Mock', wire: 'anthropic', base_url: url, data_policy: policy };
  writeFileSync(join(target, 'providers.json'), JSON.stringify({ providers: [provider] }));
  const models = ['10x0', '5x2', '100x20'].map((name) => ({
    id: `bench/${name}`,
    permaslug: `bench/${name}`,
    name,
    created: '2026-11-20',
    context_length: 200_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [
      {
        id: `bench/${name}`,
        provider: 'mock',
        upstream_model: name,
        max_output_tokens: 10_000,
        pricing: { prompt: '0.0001', completion: '0.0005' },
      },
    ],
  }));
  writeFileSync(join(target, 'models', 'bench.json'), JSON.stringify({ models }));
}
