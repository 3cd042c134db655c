import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { descendantsOf, reportOf, type ProcessReport } from '../support/processes.ts';

/** Clients without a key that send many requests and do not read the responses. */
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ args: ['--web'] });
});
afterAll(() => gateway.stop());

const MAX_GROWTH_MB = 150;
/** Without bounds, a health check takes minutes, or the process ends. */
const MAX_HEALTH_MS = 15_000;

const isServer = ({ argv }: ProcessReport) =>
  argv.some((part) => part.includes('/server-')) && !argv.includes('--beside');

async function serverPid(): Promise<number> {
  const started = await descendantsOf(gateway.process.pid!);
  return started.find((report) => isServer(report))!.pid;
}

const doors = [
  ['npm start', async () => ({ url: gateway.baseUrl, pid: gateway.process.pid! })],
  ['the server program', async () => ({ url: gateway.webUrl, pid: await serverPid() })],
] as const;

function connectTo(url: string, lines: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(lines);
  return socket;
}

const isWell = (url: string) =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(MAX_HEALTH_MS) }).then(
    ({ status }) => status,
    (error: Error) => error.name,
  );

/** Returns the answers of /health in the next seconds, and the maximum growth of the process's memory. */
async function watched({ url, pid }: { url: string; pid: number }, attack: () => Socket[]) {
  await Promise.all([fetch(`${url}/models`).then((answer) => answer.text()), isWell(url)]);
  const { residentMb } = await reportOf(pid);
  const sockets = attack();
  const health = new Set<number | string>();
  for (const endMs = performance.now() + 3_000; performance.now() < endMs; await sleep(50)) {
    health.add(await isWell(url));
  }
  const { peakMb } = await reportOf(pid);
  for (const socket of sockets) socket.destroy();
  return { grownMb: peakMb - residentMb, health: [...health] };
}

describe.each(doors)('%s', (_name, door) => {
  it.each([5_000, 25])(
    'uses little memory and answers others while ten connections send %i requests each',
    async (count) => {
      const { url, pid } = await door();
      const lines = 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count);

      const { grownMb, health } = await watched({ url, pid }, () =>
        Array.from({ length: 10 }, () => connectTo(url, lines)),
      );

      expect(health).toEqual([200]);
      expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
    },
  );

  it('uses little memory and answers others during five hundred slow heads and bodies', async () => {
    const { url, pid } = await door();
    const slow = [
      'POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-slow: ',
      `POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n{"model": "`,
    ];

    const { grownMb, health } = await watched({ url, pid }, () =>
      Array.from({ length: 500 }, (_, index) => connectTo(url, slow[index % 2]!)),
    );

    expect(health).toEqual([200]);
    expect(grownMb).toBeLessThan(MAX_GROWTH_MB);
  });
});
