import type { WireName } from './bench-catalog.ts';
import type { GatewayLane, Lane } from './lanes.ts';
import { load, median, request, type Asked, type Target } from './load.ts';

export type Figures = Record<string, number>;

/** Scales the numbers of requests in a round. */
export interface Scale {
  count: (full: number) => number;
}

const BUSY = 32;
const LARGE_PROMPT = 100_000;
/** Time for settlements, which are part of the measurement. */
const SETTLING_MS = 700;

export async function measure(lane: Lane, wire: WireName, { count }: Scale): Promise<Figures | undefined> {
  const whole = lane.target(wire, '10x0');
  const paced = lane.target(wire, '5x2');
  const long = lane.target(wire, '100x20');
  if (!whole || !paced || !long) return undefined;
  const alone = await load(count(100), 1, () => request(whole));
  return {
    total_ms: median(alone.timings.map(({ totalMs }) => totalMs)),
    ...(await busy(lane, whole, count(800))),
    ...prefixed('large_', await busy(lane, whole, count(160), { promptBytes: LARGE_PROMPT })),
    ...(lane.streams ? await measureStreams(lane, paced, long, count) : {}),
  };
}

async function measureStreams(lane: Lane, paced: Target, long: Target, count: Scale['count']): Promise<Figures> {
  const alone = await load(count(60), 1, () => request(paced, { stream: true }));
  const together = await load(count(128), BUSY, () => request(paced, { stream: true }));
  return {
    first_byte_ms: median(alone.timings.map(({ firstByteMs }) => firstByteMs)),
    first_byte_busy_ms: median(together.timings.map(({ firstByteMs }) => firstByteMs)),
    ...prefixed('streams_32_', await streams(lane, long, 32)),
    ...prefixed('streams_128_', await streams(lane, long, 128)),
  };
}

/** Measures requests with new keys. */
export async function measureCold(lane: GatewayLane, { count }: Scale): Promise<Figures> {
  const target = lane.target('anthropic', '10x0')!;
  const keys: string[] = [];
  for (let index = 0; index < count(40); index += 1) keys.push(await lane.newKey());
  const { timings } = await load(keys.length, 1, (index) =>
    request(target, { headers: { 'x-api-key': keys[index]! } }),
  );
  return { cold_total_ms: median(timings.map(({ totalMs }) => totalMs)) };
}

/** Measures streams of a key that protects sensitive data. */
export async function measureProtected(lane: GatewayLane, key: string): Promise<Figures> {
  const target = lane.target('anthropic', '100x20')!;
  const guarded = { ...target, headers: { 'x-api-key': key } };
  return prefixed('protected_', await streams(lane, guarded, 128));
}

async function busy(lane: Lane, target: Target, requests: number, asked: Asked = {}): Promise<Figures> {
  const before = await lane.cpuMs();
  const { elapsedMs } = await load(requests, BUSY, () => request(target, asked));
  await settled();
  const after = await lane.cpuMs();
  return {
    cpu_ms: (after.answering - before.answering) / requests,
    cpu_beside_ms: (after.beside - before.beside) / requests,
    per_second: (requests * 1000) / elapsedMs,
  };
}

const CHUNKS = 100;

async function streams(lane: Lane, target: Target, count: number): Promise<Figures> {
  const before = await lane.cpuMs();
  let peakMb = await lane.residentMb();
  const look = async () => (peakMb = Math.max(peakMb, await lane.residentMb()));
  const watch = setInterval(() => void look(), 50);
  await load(count, count, () => request(target, { stream: true }));
  clearInterval(watch);
  await settled();
  const cpu = (await lane.cpuMs()).answering - before.answering;
  return { chunk_us: (cpu * 1000) / (count * CHUNKS), peak_mb: peakMb };
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}${name}`, value]));
}

export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
}
