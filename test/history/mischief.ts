/** Disturbs the processes of a gateway with kills, pauses, signals, and badly timed starts. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcesses } from './gateway-processes.ts';

type Random = () => number;

export type Aftermath =
  | 'runs'
  /** The front process has ended or must end, so the gateway must be started again. */
  | 'start again'
  /** The front process has ended, and two gateways must be started on its data at the same time. */
  | 'start twice';

interface Blow {
  weight: number;
  needsServer?: boolean;
  strike: (gateway: GatewayProcesses, random: Random) => Promise<Aftermath>;
}

const LEAST_PAUSE_MS = 2_000;
const MOST_PAUSE_MS = 25_000;
/** After its server was killed, the front process must stop within this time, which includes its last requests. */
const LOSS_MS = 20_000;
const STOP_MS = 40_000;

async function pause(
  gateway: GatewayProcesses,
  role: 'front' | 'server' | 'workers',
  random: Random,
): Promise<Aftermath> {
  await gateway.signal(role, 'SIGSTOP');
  await sleep(LEAST_PAUSE_MS + random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS));
  await gateway.signal(role, 'SIGCONT');
  return 'runs';
}

const blows: Record<string, Blow> = {
  'front killed': {
    weight: 4,
    async strike(gateway) {
      await gateway.signal('front', 'SIGKILL');
      await gateway.endsWithin(LOSS_MS);
      return 'start again';
    },
  },
  'server killed': {
    weight: 2,
    needsServer: true,
    async strike(gateway) {
      await gateway.signal('server', 'SIGKILL');
      await gateway.endsWithin(LOSS_MS);
      return 'start again';
    },
  },
  'workers killed': {
    weight: 2,
    async strike(gateway) {
      await gateway.signal('workers', 'SIGKILL');
      return 'runs';
    },
  },
  'all killed': {
    weight: 2,
    async strike(gateway) {
      gateway.killAll();
      await gateway.endsWithin(LOSS_MS);
      return 'start again';
    },
  },
  'front killed, two starts': {
    weight: 1,
    async strike(gateway) {
      await gateway.signal('front', 'SIGKILL');
      await gateway.endsWithin(LOSS_MS);
      return 'start twice';
    },
  },
  'server paused': { weight: 2, needsServer: true, strike: (gateway, random) => pause(gateway, 'server', random) },
  'front paused': { weight: 1, strike: (gateway, random) => pause(gateway, 'front', random) },
  'workers paused': { weight: 1, strike: (gateway, random) => pause(gateway, 'workers', random) },
  'server paused, front killed': {
    weight: 1,
    needsServer: true,
    async strike(gateway, random) {
      await gateway.signal('server', 'SIGSTOP');
      await sleep(random() * 3_000);
      await gateway.signal('front', 'SIGKILL');
      await gateway.endsWithin(LOSS_MS);
      // The paused server continues while the next start of the gateway runs.
      setTimeout(() => void gateway.signal('server', 'SIGCONT'), random() * MOST_PAUSE_MS).unref();
      return 'start again';
    },
  },
  'server told to end': {
    weight: 1,
    needsServer: true,
    async strike(gateway, random) {
      await gateway.signal('server', 'SIGTERM');
      await sleep(random() * 10_000);
      return 'start again';
    },
  },
  'all told to end': {
    weight: 1,
    async strike(gateway) {
      await gateway.signal('front', 'SIGTERM');
      await gateway.endsWithin(STOP_MS);
      return 'start again';
    },
  },
};

export function anyBlow(random: Random, hasServer: boolean): [string, Blow] {
  const possible = Object.entries(blows).filter(([, { needsServer }]) => hasServer || !needsServer);
  let place = random() * possible.reduce((sum, [, { weight }]) => sum + weight, 0);
  return possible.find(([, { weight }]) => (place -= weight) < 0) ?? possible[0]!;
}
