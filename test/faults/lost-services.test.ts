import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { descendantsOf } from '../support/processes.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'gateway-lost-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** Kills a process, and returns the gateway's exit code and log lines after that. */
async function endingWithout(
  gateway: RunningGateway,
  program: string,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<{ code: number; lines: string[] }> {
  const descendants = await descendantsOf(gateway.process.pid!);
  const { pid } = descendants.find(({ argv }) => argv[1]!.includes(program))!;
  const ended = once(gateway.process, 'exit') as Promise<[number]>;
  process.kill(pid, signal);
  const [code] = await ended;
  return { code, lines: gateway.log().split('\n') };
}

const theEndOf = (name: string, after: string) =>
  `${name} ended by itself (signal SIGKILL). The gateway cannot work without it, and stops. Start it again with npm start. ${after}.`;

describe('a gateway that loses a required process', () => {
  it('reports that its database has ended and the remedy, ends, and settles running requests at its next start', async () => {
    const gateway = await startGateway({ args: ['--data', data] });
    const running = await post(gateway, '/messages', {
      model: 'sandbox/claude',
      stream: true,
      messages: [said('x', 'tokens=5000 delay=10')],
    });
    const id = running.headers.get('x-generation-id')!;

    const { code, lines } = await endingWithout(gateway, 'guard-main', 'SIGTERM');

    expect(code).toBe(1);
    expect(lines.find((line) => line.startsWith('The database process ended by itself'))).toContain(
      `Start it again with npm start. Its data is in ${data}; the next start settles the requests that were running.`,
    );
    expect(await running.text()).toContain('event: error');
    const next = await startGateway({ args: ['--data', data] });
    expect((await finalGeneration({ ...next, key: gateway.key }, id))['total_cost']).toBeGreaterThan(0);
    await next.stop();
  });

  it('ends also if its queues have ended, and reports what happens to queued messages', async () => {
    const gateway = await startGateway({ args: ['--ephemeral'] });

    const { code, lines } = await endingWithout(gateway, 'aws-server');

    expect(code).toBe(1);
    expect(lines).toContain(theEndOf('The process of queues and files', 'Its data was in memory and is lost'));
  });

  it('ends also if the server of --web has ended', async () => {
    const gateway = await startGateway({ args: ['--data', data, '--web'] });

    const { code, lines } = await endingWithout(gateway, 'server-main');

    expect(code).toBe(1);
    expect(lines.find((line) => line.startsWith('The server of --web ended by itself'))).toBeDefined();
  });

  it('ends its database if it is killed', async () => {
    const gateway = await startGateway({ args: ['--data', data] });
    const { endpoint } = gateway.table();
    const answers = () =>
      fetch(endpoint!).then(
        () => true,
        () => false,
      );
    expect(await answers()).toBe(true);

    await gateway.kill();

    await expect.poll(answers).toBe(false);
  });

  it('reports no lost process if it is stopped', async () => {
    const gateway = await startGateway({ args: ['--data', data, '--web'] });
    await gateway.stop();
    expect(gateway.process.exitCode).toBe(0);
    expect(gateway.log()).not.toContain('ended by itself');
  });
});

describe('a database program that cannot be run', () => {
  it('is reported in one sentence', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/local.ts', '--ephemeral', '--port', '0'], {
      encoding: 'utf8',
      env: { ...process.env, DYNAMODB_BINARY: join(import.meta.dirname, 'lost-services.test.ts') },
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^DynamoDB did not start: spawn \S+ EACCES\.\n$/);
  });
});
