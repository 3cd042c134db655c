/**
 * Measures the CPU time for one streamed chunk, and the memory of many streams, in the server (npm start -- --web) with
 * leases. All versions and the byte pipe run at the same time, and get chunks in turns: compare only the ratios to the
 * pipe.
 *
 * The work of open streams without chunks is measured separately, and subtracted. Two processes of one version may
 * differ by 15 %, so each version is started several times.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { writeCatalog, type WireName } from './bench-catalog.ts';
import { startHoldingUpstream } from './held-streams.ts';
import { chatLane, checkOut, gatewayLane, pipeLane, removeCheckOut, type GatewayLane, type Lane } from './lanes.ts';
import { median } from './load.ts';
import { pin } from './processes.ts';

const usage = `Usage: npm run bench:chunks -- [options]

  --compare <ref>   also measure this version of the repository; may be repeated
  --starts <n>      starts of each version (3)
  --streams <n>     open streams of each version (128)
  --turns <n>       turns of each version after a start (8)
  --at-once <n>     chunks that are sent concurrently (2)
  --cases <a,b>     cases to measure: messages, completions, translated (all)
  --warm-up <n>     turns of each version before the measured turns (20)`;

const { values: options } = toolArguments(usage, {
  options: {
    compare: { type: 'string', multiple: true, default: [] },
    starts: { type: 'string', default: '3' },
    streams: { type: 'string', default: '128' },
    turns: { type: 'string', default: '8' },
    'at-once': { type: 'string', default: '2' },
    cases: { type: 'string', default: 'messages,completions,translated' },
    'warm-up': { type: 'string', default: '20' },
  },
});

/** Wire of the provider, and whether the client uses chat completions. */
const cases: Record<string, { label: string; wire: WireName; isChat: boolean }> = {
  messages: { label: 'Anthropic wire to the Messages API', wire: 'anthropic', isChat: false },
  completions: { label: 'chat wire to chat completions', wire: 'openai-chat', isChat: true },
  translated: { label: 'Anthropic wire to chat completions', wire: 'anthropic', isChat: true },
};
const streamCount = Number(options.streams);
const CHUNKS_IN_A_TURN = 3_000;
/** Number of turns before the measurement, because a process gets faster during its first chunks. */
const warmUpTurns = Number(options['warm-up']);

interface Measured {
  microseconds: number[];
  ratios: number[];
  /** CPU milliseconds per second for the open streams without chunks. */
  idle: number[];
  megabytes: number[];
}

interface Turn {
  spentMs: number;
  lastedMs: number;
}

pin(process.pid, 0);
const directory = mkdtempSync(join(tmpdir(), 'gateway-chunks-'));
const versions = ['this', ...options.compare];
const checkedOut = options.compare.map((ref, index) => ({ ref, at: join(directory, `version-${index}`) }));
const dynamodb = await startDynamodb(undefined);
const measured = new Map<string, Measured>();
try {
  for (const { ref, at } of checkedOut) checkOut(ref, at);
  for (let start = 1; start <= Number(options.starts); start += 1) await measureStart(start);
} finally {
  await dynamodb.stop();
  for (const { at } of checkedOut) removeCheckOut(at);
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(table());

async function measureStart(start: number): Promise<void> {
  const upstream = await startHoldingUpstream();
  const pipe = await pipeLane(upstream.urlOf('pipe'));
  const gateways: GatewayLane[] = [];
  try {
    for (const [index, version] of versions.entries()) gateways.push(await startVersion(version, index, start));
    for (const name of options.cases.split(',')) {
      process.stderr.write(`start ${start} of ${options.starts}, ${name}\n`);
      await measureCase(name, pipe, gateways);
    }
  } finally {
    for (const lane of [pipe, ...gateways]) await lane.stop();
    upstream.stop();
  }

  async function startVersion(version: string, index: number, of: number): Promise<GatewayLane> {
    const catalog = join(directory, `catalog-${of}-${index}`);
    writeCatalog(catalog, upstream.urlOf(version));
    return gatewayLane({
      name: version,
      data: join(directory, `data-${of}-${index}`),
      catalog,
      dynamodbEndpoint: dynamodb.endpoint,
      server: { takesLeases: true },
      ...(index === 0 ? {} : { directory: checkedOut[index - 1]!.at }),
    });
  }

  async function measureCase(name: string, pipeAlone: Lane, all: GatewayLane[]): Promise<void> {
    const { wire, isChat } = cases[name]!;
    const lanes: Lane[] = [pipeOf(pipeAlone, wire), ...all.map((lane) => (isChat ? chatOf(lane) : lane))];
    const opened = [];
    for (const lane of lanes) {
      const streams = await upstream.open(lane.name, lane.target(wire, '100x20')!, streamCount);
      opened.push({ lane, streams });
    }
    for (let turn = 0; turn < warmUpTurns; turn += 1) for (const { streams } of opened) await passChunks(streams);
    const begun = await Promise.all(opened.map(({ lane }) => stateOf(lane)));
    const turns = new Map<string, Turn[]>(opened.map(({ lane }) => [lane.name, []]));
    for (let turn = 0; turn < Number(options.turns); turn += 1) {
      for (const { lane, streams } of turn % 2 === 0 ? opened : opened.toReversed()) {
        const before = await stateOf(lane);
        await passChunks(streams);
        turns.get(lane.name)!.push(since(before, await stateOf(lane)));
      }
    }
    const costs = new Map<string, number[]>();
    for (const [index, { lane }] of opened.entries()) {
      const own = turns.get(lane.name)!;
      const whole = since(begun[index]!, await stateOf(lane));
      const idle = (whole.spentMs - sum(own, 'spentMs')) / (whole.lastedMs - sum(own, 'lastedMs'));
      figuresOf(`${name} ${lane.name}`).idle.push(idle * 1_000);
      costs.set(
        lane.name,
        own.map(({ spentMs, lastedMs }) => ((spentMs - idle * lastedMs) * 1_000) / CHUNKS_IN_A_TURN),
      );
    }
    for (const [lane, microseconds] of costs) {
      const figures = figuresOf(`${name} ${lane}`);
      figures.microseconds.push(...microseconds);
      figures.ratios.push(...microseconds.map((cost, turn) => cost / costs.get('pipe')![turn]!));
    }
    for (const { lane, streams } of opened) {
      figuresOf(`${name} ${lane.name}`).megabytes.push(await lane.residentMb());
      for (const stream of streams) stream.close();
    }
  }
}

/** Sends the chunks of a turn to the streams in rotation. */
async function passChunks(streams: { pass: () => Promise<void> }[]): Promise<void> {
  let next = 0;
  const pass = async () => {
    while (next < CHUNKS_IN_A_TURN) {
      next += 1;
      await streams[next % streams.length]!.pass();
    }
  };
  await Promise.all(Array.from({ length: Number(options['at-once']) }, pass));
}

/** Returns the CPU time and the time now, in ms. */
async function stateOf(lane: Lane): Promise<{ cpuMs: number; atMs: number }> {
  return { cpuMs: (await lane.cpuMs()).answering, atMs: performance.now() };
}

function since(before: { cpuMs: number; atMs: number }, after: { cpuMs: number; atMs: number }): Turn {
  return { spentMs: after.cpuMs - before.cpuMs, lastedMs: after.atMs - before.atMs };
}

function sum(turns: readonly Turn[], field: keyof Turn): number {
  return turns.reduce((total, turn) => total + turn[field], 0);
}

/**
 * Returns the pipe for a wire. Its target depends on the wire, because the pipe forwards to the path of the request.
 */
function pipeOf(pipe: Lane, wire: WireName): Lane {
  if (wire === 'anthropic') return pipe;
  const target = pipe.target('anthropic', '100x20')!;
  return { ...pipe, target: () => ({ ...target, url: target.url.replace('/messages', '/chat/completions') }) };
}

function chatOf(gateway: GatewayLane): Lane {
  return { ...chatLane(gateway), name: gateway.name };
}

function figuresOf(name: string): Measured {
  const figures = measured.get(name) ?? { microseconds: [], ratios: [], idle: [], megabytes: [] };
  measured.set(name, figures);
  return figures;
}

function table(): string {
  const rows = [...measured].map(([name, { microseconds, ratios, idle, megabytes }]) => {
    const [kind, version] = name.split(' ') as [string, string];
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share));
    return [
      cases[kind]!.label.padEnd(38),
      version.padEnd(14),
      `${median(microseconds).toFixed(1)} µs`.padStart(10),
      `${middle!.toFixed(2)} × pipe`.padStart(14),
      ` (${low!.toFixed(2)}–${high!.toFixed(2)})`,
      `${median(idle).toFixed(1)} ms/s idle`.padStart(16),
      `${Math.max(...megabytes).toFixed(0)} MB`.padStart(9),
    ].join('');
  });
  return `${rows.join('\n')}\n`;
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * share)]!;
}
