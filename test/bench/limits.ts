import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { freePort } from '../../lib/shared/free-port.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { writeCatalog } from './bench-catalog.ts';
import { gatewayLane, peerLane, type GatewayLane, type Lane } from './lanes.ts';
import { load, request, type Target } from './load.ts';
import { manage, type LimitedKey } from './peer.ts';
import { installedPeers } from './peers.ts';
import { pin, startPinned } from './processes.ts';

/**
 * Measures the overspend of a key: sends many requests at once, although its limit has room for a few of them. Output
 * costs the most, and `max_tokens` is the exact number of output tokens.
 */
const usage = `Usage: npm run bench:limits -- [options]

  --requests <n>           concurrent requests (300)
  --room <n>               requests for which the limit has room (33)
  --rounds <n>             rounds, each with a new key (3)
  --peers <directory>      also the gateways of peers.ts that are installed there
  --only <a,b>             of gateway, server, server-off (without leases) and the peers, only these
  --url <url>              only a running gateway: the address of its Messages API or of its chat completions,
  --model <model>          with this model,
  --header "a: b"          and these headers`;

const { values: options } = toolArguments(usage, {
  options: {
    requests: { type: 'string', default: '300' },
    room: { type: 'string', default: '33' },
    rounds: { type: 'string', default: '3' },
    peers: { type: 'string' },
    only: { type: 'string' },
    url: { type: 'string' },
    model: { type: 'string', default: '' },
    header: { type: 'string', multiple: true, default: [] },
  },
});

/** Tokens of a request to the mock, and of its answer. */
const TOKENS = { prompt: 42, completion: 20 };
const SHAPE = '10x100';
const prices = { prompt: 0.000_001, completion: 0.01 };
const COST = TOKENS.prompt * prices.prompt + TOKENS.completion * prices.completion;
const room = Number(options.room);
/** The limit also has room for a part of the next request. */
const LIMIT = Number(((room + 0.5) * COST).toFixed(2));
/** Time in ms until all gateways have recorded the costs. LiteLLM writes them about every ten seconds. */
const RECORDING_MS = 30_000;
/** Time in ms after which a request counts as unanswered. */
const PATIENCE_MS = 180_000;
const WARM_UP = 40;
const ADMITTED = 'admitted';
const refusals = new Set<string>();

if (options.url === undefined) await measureAll();
else {
  const headers = Object.fromEntries(options.header.map((header) => header.split(/: (.*)/).slice(0, 2)));
  process.stdout.write(`${summary(await sendAll({ url: options.url, headers, model: options.model }))}\n`);
}

/** Sends all requests at once, and counts the results. */
async function sendAll(target: Target): Promise<Map<string, number>> {
  const results = await Promise.all(Array.from({ length: Number(options.requests) }, () => send(target)));
  return new Map(
    [...new Set(results)].toSorted().map((result) => [result, results.filter((r) => r === result).length]),
  );
}

/** Sends one request, and returns ADMITTED, the status of a refusal, or the error. */
async function send({ url, headers, model }: Target): Promise<string> {
  const messages = [{ role: 'user', content: 'Say something about the weather in a few words, please.' }];
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: JSON.stringify({ model, max_tokens: TOKENS.completion, stream: true, messages }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.ok) return /message_stop|\[DONE\]/.test(text) ? ADMITTED : 'answer without an end';
    const result = `status ${response.status}`;
    if (!refusals.has(`${url} ${result}`)) process.stderr.write(`${url} answered ${result}: ${text.slice(0, 300)}\n`);
    refusals.add(`${url} ${result}`);
    return result;
  } catch (error) {
    return `no answer (${(error as { cause?: { code?: string } }).cause?.code ?? String(error)})`;
  }
}

function summary(results: Map<string, number>): string {
  return [...results].map(([result, count]) => `${count} ${result}`).join(', ');
}

async function measureAll(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
  const catalog = join(directory, 'catalog');
  pin(process.pid, 0);
  const dynamodb = await startDynamodb(undefined);
  const mock = await startPinned(0, [process.execPath, fileURLToPath(new URL('./mock-upstream.ts', import.meta.url))]);
  const upstreamUrl = `http://127.0.0.1:${mock.firstLine}`;
  writeCatalog(catalog, upstreamUrl, prices);
  process.stdout.write(`limit ${LIMIT}, a request costs ${COST.toFixed(6)}\n`);
  try {
    for (const name of ['gateway', 'server', 'server-off'].filter(isChosen)) {
      const server = name === 'gateway' ? undefined : { takesLeases: name === 'server' };
      const data = join(directory, name);
      const lane = await gatewayLane({ name, data, catalog, dynamodbEndpoint: dynamodb.endpoint, server });
      await measureLane(lane, () => newGatewayKey(lane));
    }
    const { installed } = options.peers === undefined ? { installed: [] } : installedPeers(resolve(options.peers));
    for (const { name, program, start, newLimitedKey } of installed.filter((peer) => isChosen(peer.name))) {
      const setup = { directory, upstreamUrl, port: await freePort(), prices };
      if (newLimitedKey === undefined) process.stdout.write(`${name} has no limits\n`);
      else {
        const lane = await peerLane({ name, ...start(join(resolve(options.peers!), program), setup) });
        await measureLane(lane, () => newLimitedKey(setup, LIMIT));
      }
    }
  } finally {
    await mock.stop();
    await dynamodb.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function isChosen(name: string): boolean {
  return options.only === undefined || options.only.split(',').includes(name);
}

async function newGatewayKey(lane: GatewayLane): Promise<LimitedKey> {
  const key = await lane.newKey({ limit: LIMIT });
  return {
    headers: { 'x-api-key': key },
    async recorded() {
      const url = lane.target('anthropic', SHAPE)!.url.replace(/\/messages$/, '/key');
      const headers = { authorization: `Bearer ${key}` };
      return (await manage<{ data: { usage: number } }>(url, { method: 'GET', headers })).data.usage;
    },
  };
}

async function measureLane(lane: Lane, newKey: () => Promise<LimitedKey>): Promise<void> {
  try {
    const target = lane.target('anthropic', SHAPE)!;
    await load(WARM_UP, 8, () => request(target, { stream: true }));
    for (let round = 1; round <= Number(options.rounds); round += 1) {
      const key = await newKey();
      const results = await sendAll({ ...target, headers: key.headers });
      await sleep(RECORDING_MS);
      const excess = (results.get(ADMITTED) ?? 0) * COST - LIMIT;
      const over = excess > 0 ? `${((excess / LIMIT) * 100).toFixed(0)} % over the limit` : 'within the limit';
      const recorded = (await key.recorded()).toFixed(4);
      process.stdout.write(`${lane.name}: ${summary(results)}; ${over}; ${recorded} recorded\n`);
    }
  } finally {
    await lane.stop();
  }
}
