/**
 * Measures large requests: prompts of up to 1 MB, up to 1,000 tools, and up to 2,000 turns. It prints the CPU time of a
 * request and the longest delay of other requests, and writes the plot of docs/figures.md.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { writeCatalog } from './bench-catalog.ts';
import { gatewayLane, type GatewayLane } from './lanes.ts';
import { largePlot, type Line } from './large-plot.ts';
import { load, median, request, type Asked } from './load.ts';
import { settled } from './measures.ts';
import { pin, startPinned } from './processes.ts';

const SHARES = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1];
const REQUESTS = 10;
const ROUNDS = 3;
const WARM_UP = 400;

const tool = (index: number) => ({
  name: `tool_${index}`,
  description: 'Returns the weather of a city at a time, in the units of the country.',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The city' }, hours: { type: 'integer', minimum: 0 } },
    required: ['city'],
  },
});
const turn = (index: number) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text: `Turn ${index}: the weather is the same as it was, and nobody knows why.` }],
});

const kinds: { name: string; of: (share: number) => Asked }[] = [
  { name: 'prompt of 1 MB', of: (share) => ({ promptBytes: share * 1_000_000 }) },
  {
    name: '1,000 tools',
    of: (share) => ({ fields: { tools: Array.from({ length: share * 1_000 }, (_, at) => tool(at)) } }),
  },
  {
    name: '2,000 turns',
    of: (share) => ({ fields: { messages: Array.from({ length: share * 2_000 - 1 }, (_, at) => turn(at)) } }),
  },
];

toolArguments(
  `Usage: npm run bench:large

Measures requests of up to 1 MB, prints a table, and writes docs/large-requests.svg.`,
  {},
);
const directory = mkdtempSync(join(tmpdir(), 'gateway-large-'));
pin(process.pid, 0);
const dynamodb = await startDynamodb(undefined);
const mock = await startPinned(0, [process.execPath, fileURLToPath(new URL('./mock-upstream.ts', import.meta.url))]);
const catalog = join(directory, 'catalog');
writeCatalog(catalog, `http://127.0.0.1:${mock.firstLine}`);
let gateway: GatewayLane | undefined;

try {
  gateway = await gatewayLane({
    name: 'gateway',
    data: join(directory, 'data'),
    catalog,
    dynamodbEndpoint: dynamodb.endpoint,
  });
  const lines = await measureLines(gateway);
  for (const { name, points } of lines) {
    const shown = points.map(
      ({ share, cpuMs, delayMs }) => `${share}: ${cpuMs.toFixed(1)} ms, ${delayMs.toFixed(0)} ms`,
    );
    process.stdout.write(`${name.padEnd(16)}${shown.join(' | ')}\n`);
  }
  writeFileSync(fileURLToPath(new URL('../../docs/large-requests.svg', import.meta.url)), largePlot(lines));
} finally {
  await gateway?.stop();
  await mock.stop();
  await dynamodb.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measureLines(lane: GatewayLane): Promise<Line[]> {
  const target = lane.target('anthropic', '10x0')!;
  await load(WARM_UP, 8, () => request(target));
  for (const { of } of kinds) await load(REQUESTS, 1, () => request(target, of(1)));
  const lines = kinds.map(({ name }): Line & { all: { cpuMs: number; delayMs: number }[][] } => ({
    name,
    points: [],
    all: SHARES.map(() => []),
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, { of }] of kinds.entries()) {
      for (const [at, share] of SHARES.entries()) lines[kind]!.all[at]!.push(await measurePoint(lane, of(share)));
    }
  }
  return lines.map(({ name, all }) => ({
    name,
    points: SHARES.map((share, at) => ({
      share,
      cpuMs: median(all[at]!.map(({ cpuMs }) => cpuMs)),
      delayMs: median(all[at]!.map(({ delayMs }) => delayMs)),
    })),
  }));
}

/** Measures the CPU time of large requests, then the delay that they cause for small requests. */
async function measurePoint(lane: GatewayLane, asked: Asked): Promise<{ cpuMs: number; delayMs: number }> {
  const target = lane.target('anthropic', '10x0')!;
  await settled();
  const before = (await lane.cpuMs()).answering;
  await load(REQUESTS, 1, () => request(target, asked));
  await settled();
  const cpuMs = ((await lane.cpuMs()).answering - before) / REQUESTS;
  const delays: number[] = [];
  for (let count = 0; count < REQUESTS / 2; count += 1)
    delays.push(await longestDelay(target.url, () => request(target, asked)));
  return { cpuMs, delayMs: median(delays) };
}

/** Returns the longest duration of a small request while a large request runs. */
async function longestDelay(url: string, send: () => Promise<unknown>): Promise<number> {
  const state = { isRunning: true };
  const sent = send().finally(() => (state.isRunning = false));
  let longestMs = 0;
  while (state.isRunning) {
    const startedMs = performance.now();
    await (await fetch(url.replace(/\/messages$/, '/health'))).arrayBuffer();
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  }
  await sent;
  return longestMs;
}
