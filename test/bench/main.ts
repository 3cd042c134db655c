import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { freePort } from '../../lib/shared/free-port.ts';
import { startCapacityMeter, type CapacityMeter } from '../support/capacity-meter.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { wires as allWires, writeCatalog, type WireName } from './bench-catalog.ts';
import {
  chatLane,
  checkOut,
  directLane,
  gatewayLane,
  peerLane,
  pipeLane,
  removeCheckOut,
  type GatewayLane,
  type GatewayOptions,
  type Lane,
} from './lanes.ts';
import { load, median, request } from './load.ts';
import { measure, measureCold, measureProtected, settled, type Figures } from './measures.ts';
import { installedPeers } from './peers.ts';
import { pin, startPinned } from './processes.ts';
import { table } from './table.ts';

/**
 * Measures the cost of the gateway. The same requests are sent directly to a mock upstream, through a pipe of bytes,
 * through the gateway, and optionally through other gateways or versions. The rounds are interleaved. Holds, records
 * and settlements are included. The measured process has one core; all other processes share another.
 */
const usage = `Usage: npm run bench -- [options]

  --json                   print the figures as JSON only
  --quick                  send a tenth of the requests in one round, to test the program; do not compare its figures
  --rounds <n>             interleaved rounds (4); the medians are printed
  --wires <a,b>            wires to measure: ${allWires.join(', ')} (the first two)
  --chat                   also measure the gateway over chat completions
  --server                 also measure the server (npm start -- --web), with leases and without
  --compare <ref>          also measure this version of the repository, in the same rounds
  --peer "<command>"       also measure another gateway for the Messages API, started with this command and
                           NODE_ENV=production; {port} is replaced by a free port
  --peer-node <path>       Node that replaces {node} in the command (the Node of this gateway); may be repeated
  --peer-url <url>         URL for requests to this gateway; {port} is replaced by its port
  --peer-header "a: b"     header for these requests, may be repeated; {upstream} is replaced by the mock's address
  --peers <directory>      also measure the gateways of peers.ts that are installed in this directory
  --profile <directory>    write a CPU profile of the gateway to this directory`;

const { values: options } = toolArguments(usage, {
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    wires: { type: 'string', default: allWires.slice(0, 2).join(',') },
    chat: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    compare: { type: 'string' },
    peer: { type: 'string' },
    'peer-node': { type: 'string', multiple: true, default: [process.execPath] },
    'peer-url': { type: 'string', default: '' },
    'peer-header': { type: 'string', multiple: true, default: [] },
    peers: { type: 'string' },
    profile: { type: 'string' },
  },
});
const wires = options.wires.split(',') as WireName[];
const unknown = wires.find((wire) => !allWires.includes(wire));
if (unknown !== undefined) {
  process.stderr.write(`--wires: there is no wire ${unknown}; there are ${allWires.join(', ')}.\n`);
  process.exit(1);
}
const rounds = Number(options.rounds ?? (options.quick ? 1 : 4));
/**
 * Number of requests before the measurement. After only a thousand requests, a round still took about 50 % more CPU
 * time than later rounds.
 */
const WARM_UP = 4_000;
const scale = { count: (full: number) => Math.max(8, Math.round(full * (options.quick ? 0.1 : 1))) };
const progress = (text: string) => process.stderr.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
const catalog = join(directory, 'catalog');
const otherVersion = join(directory, 'other');
pin(process.pid, 0);
const dynamodb = await startDynamodb(undefined);
const meter = await startCapacityMeter(dynamodb.endpoint);
const mock = await startPinned(0, [process.execPath, fileURLToPath(new URL('./mock-upstream.ts', import.meta.url))]);
const upstreamUrl = `http://127.0.0.1:${mock.firstLine}`;
writeCatalog(catalog, upstreamUrl);
const lanes: Lane[] = [];

try {
  const gateway = await startGateway('gateway', { profiles: options.profile });
  lanes.push(directLane(upstreamUrl), await pipeLane(upstreamUrl), gateway);
  if (options.chat) lanes.push(chatLane(gateway));
  if (options.server) {
    lanes.push(await startGateway('server', { server: { takesLeases: true } }));
    lanes.push(await startGateway('server-off', { server: { takesLeases: false } }));
  }
  if (options.compare !== undefined) {
    checkOut(options.compare, otherVersion);
    lanes.push(await startGateway(options.compare, { directory: otherVersion }));
  }
  if (options.peer !== undefined) {
    for (const node of options['peer-node']) lanes.push(await startPeer(options.peer, node));
  }
  if (options.peers !== undefined) await startPeers(resolve(options.peers));
  const figures = {
    ...(await measureRounds(gateway)),
    table: await measureTable(),
  };
  process.stdout.write(options.json ? `${JSON.stringify(figures)}\n` : table(figures));
} finally {
  for (const lane of lanes) await lane.stop();
  await mock.stop();
  meter.stop();
  await dynamodb.stop();
  if (options.compare !== undefined) removeCheckOut(otherVersion);
  rmSync(directory, { recursive: true, force: true });
}

function startGateway(
  name: string,
  {
    endpoint = dynamodb.endpoint,
    ...more
  }: { endpoint?: string } & Pick<GatewayOptions, 'directory' | 'profiles' | 'server'>,
): Promise<GatewayLane> {
  return gatewayLane({ name, data: join(directory, `data-${name}`), catalog, dynamodbEndpoint: endpoint, ...more });
}

/** Starts the installed peers, and prints the names of the missing peers. */
async function startPeers(installedIn: string): Promise<void> {
  const { installed, missing } = installedPeers(installedIn);
  for (const { name, program } of missing) progress(`skipping ${name}: ${join(installedIn, program)} does not exist`);
  for (const { name, program, start } of installed) {
    const setup = { directory, upstreamUrl, port: await freePort() };
    lanes.push(await peerLane({ name, ...start(join(installedIn, program), setup) }));
  }
}

async function startPeer(command: string, node: string): Promise<Lane> {
  const port = String(await freePort());
  const filled = (text: string) =>
    text.replaceAll('{port}', port).replaceAll('{node}', node).replaceAll('{upstream}', upstreamUrl);
  const headers = options['peer-header'].map((header) => {
    const [name, ...value] = header.split(': ');
    return [name!, filled(value.join(': '))] as const;
  });
  const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return peerLane({
    name: `peer-${version.trim()}`,
    command: command.split(' ').map(filled),
    url: filled(options['peer-url']),
    headers: Object.fromEntries(headers),
  });
}

/** Returns the medians of all rounds by lane and wire. */
async function measureRounds(gateway: GatewayLane): Promise<Record<string, Figures>> {
  const guarded = await gateway.newKey({ sensitive_data: { enabled: true, categories: ['email', 'phone', 'card'] } });
  for (const lane of lanes) {
    progress(`warming up ${lane.name}`);
    for (const wire of wires) await warmUp(lane, wire);
  }
  const measured = new Map<string, Figures[]>();
  const note = (name: string, figures: Figures) => measured.set(name, [...(measured.get(name) ?? []), figures]);
  for (let round = 1; round <= rounds; round += 1) {
    for (const wire of wires) {
      progress(`round ${round} of ${rounds}, ${wire}`);
      for (const lane of lanes) {
        const figures = await measure(lane, wire, scale);
        if (figures) note(`${lane.name} ${wire}`, figures);
      }
    }
    note('gateway', { ...(await measureCold(gateway, scale)), ...(await measureProtected(gateway, guarded)) });
  }
  return Object.fromEntries([...measured].map(([name, all]) => [name, medians(all)]));
}

async function warmUp(lane: Lane, wire: WireName): Promise<void> {
  const [whole, long] = [lane.target(wire, '10x0'), lane.target(wire, '5x2')];
  if (!whole || !long) return;
  await load(scale.count(WARM_UP), 16, () => request(whole));
  if (lane.streams) await load(scale.count(200), 16, () => request(long, { stream: true }));
}

function medians(all: Figures[]): Figures {
  return Object.fromEntries(Object.keys(all[0]!).map((name) => [name, median(all.map((one) => one[name]!))]));
}

/** Counts calls and units through a proxy, which slows the gateway down. */
async function measureTable(): Promise<Figures> {
  progress('DynamoDB calls and units');
  const gateway = await startGateway('counted', { endpoint: meter.endpoint });
  try {
    const target = gateway.target('anthropic', '10x0')!;
    await load(40, 32, () => request(target));
    const figures: Figures = {};
    for (const concurrency of [4, 32]) {
      await settled();
      meter.reset();
      const requests = scale.count(320);
      await load(requests, concurrency, () => request(target));
      await settled();
      const { calls, units } = totals(meter);
      figures[`calls_at_${concurrency}`] = calls / requests;
      figures[`units_at_${concurrency}`] = units / requests;
    }
    return figures;
  } finally {
    await gateway.stop();
  }
}

function totals({ calls, units }: CapacityMeter) {
  return { calls: Object.values(calls).reduce((sum, number) => sum + number, 0), units };
}
