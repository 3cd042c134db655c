import { afterEach, describe, expect, it } from 'vitest';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { eventually } from '../support/eventually.ts';

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

/**
 * Returns the process id of the workers.
 * @throws {Error} while they are starting
 */
async function workersOf({ process: { pid } }: RunningGateway): Promise<number> {
  const descendants = await descendantsOf(pid!);
  return descendants.find(({ argv }) => argv[1]!.includes('workers-main'))!.pid;
}

const ask = { model: 'sandbox/claude', max_tokens: 20, messages: [{ role: 'user', content: 'Hi\n@sandbox delay=0' }] };

async function settled(on: RunningGateway): Promise<number> {
  const response = await post(on, '/messages', ask);
  const id = response.headers.get('x-generation-id')!;
  const read = async () => {
    const { data } = (await (await get(on, `/generation?id=${id}`)).json()) as { data?: { total_cost: number } };
    expect(data?.total_cost).toBeGreaterThan(0);
    return data!.total_cost;
  };
  return eventually(read, 100);
}

describe('the process of the workers', () => {
  it('is started again when it ends, and continues with the queued messages', async () => {
    gateway = await startGateway();
    const before = await workersOf(gateway);
    process.kill(before, 'SIGKILL');
    // Waits for the new process. Otherwise, the killed process's polls might receive the next messages, which would
    // then stay hidden until their visibility timeout.
    await eventually(async () => expect(await workersOf(gateway!)).not.toBe(before), 100);

    expect(await settled(gateway)).toBeGreaterThan(0);

    expect(gateway.log()).toContain('the workers ended, and are started again');
  });

  it('ends with a killed gateway', async () => {
    const killed = await startGateway();
    const workers = await workersOf(killed);
    await killed.kill();
    await eventually(() => expect(isAlive(workers)).toBe(false));
  });

  it('has handled the queued messages when the gateway has stopped', async () => {
    const dynamodb = await startDynamodb(undefined);
    const stopped = await startGateway({ env: { DYNAMODB_ENDPOINT: dynamodb.endpoint } });
    const table = stopped.table();
    const workers = await workersOf(stopped);
    const response = await post(stopped, '/messages', ask);
    expect(response.status).toBe(200);
    await stopped.stop();
    expect(isAlive(workers)).toBe(false);
    const generation = await readGeneration(table, stopped.accountId, response.headers.get('x-generation-id')!);
    expect(generation?.state).toBe('final');
    await dynamodb.stop();
  });
});
