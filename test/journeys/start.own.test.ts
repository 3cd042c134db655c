import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../support/admin.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { programOf } from '../support/programs.ts';
import { readEvents } from '../support/sse.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-start-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function refusal(...args: string[]): Promise<{ code: number; stderr: string }> {
  return refusalIn({}, ...args);
}

async function refusalIn(env: Record<string, string>, ...args: string[]): Promise<{ code: number; stderr: string }> {
  const program = await programOf('bin/local.ts');
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: 120_000 };
    execFile(process.execPath, [program, '--ephemeral', ...args], options, (error, _stdout, stderr) =>
      resolve({ code: Number(error?.code), stderr }),
    );
  });
}

describe('a gateway that cannot start reports the reason in one sentence', () => {
  it('if its port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await refusal('--port', String(port))).toEqual({
      code: 1,
      stderr: `Port ${port} is in use. Stop the process that uses it, or choose another port with --port.\n`,
    });
    server.close();
  });

  it('if its database is missing, and ends the processes that it had started', async () => {
    expect(await refusalIn({ DYNAMODB_BINARY: '/nowhere' }, '--port', '0')).toEqual({
      code: 1,
      stderr: 'DYNAMODB_BINARY names /nowhere, which does not exist. Correct it or unset it.\n',
    });
  });

  it('if its catalog has a mistake', async () => {
    const catalog = join(directory, 'catalog');
    cpSync('lambdas/catalog/data', catalog, { recursive: true });
    writeFileSync(join(catalog, 'models', 'bad.json'), '{"models": [{"id": "x"}]}');
    const { code, stderr } = await refusal('--port', '0', '--catalog', catalog);
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain('models/bad.json: models[0].id');
  });

  it.each([
    ['--port', 'many'],
    ['--now', 'yesterday'],
    ['--now', '2026-02-31T00:00:00Z'],
    ['--concurrency', '0'],
    ['--rate-limit', 'lots'],
    ['--nonsense', 'x'],
  ])('if the argument %s %s is invalid', async (flag, value) => {
    const { code, stderr } = await refusal(flag, value);
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain(flag);
  });
});

describe('a gateway stopped in the middle of a stream, and started again on the same data,', () => {
  let data: string;
  let answered: Record<string, unknown>;
  let cutId: string;
  let cutTypes: string[];
  let second: RunningGateway;
  let client: RunningGateway;
  beforeAll(async () => {
    data = join(directory, 'data');
    const first = await startGateway({ args: ['--data', data] });
    const response = await post(first, '/messages', { model: 'sandbox/claude', messages: [said('x', 'delay=0')] });
    const { id } = (await response.json()) as { id: string };
    answered = await finalGeneration(first, id);
    ({ id: cutId, types: cutTypes } = await stopWithinStream(first));
    second = await startGateway({ args: ['--data', data] });
    client = { ...second, key: first.key };
  });

  it('finds keys, generations and counters, and does not show keys', async () => {
    const cut = await finalGeneration(client, cutId);

    expect(second.key).toBeNull();
    expect(await finalGeneration(client, answered['id'] as string)).toEqual(answered);
    const { data: key } = (await (await get(client, '/key')).json()) as { data: { usage: number } };
    expect(key.usage).toBeCloseTo(Number(answered['total_cost']) + Number(cut['total_cost']), 9);
  });

  it('has ended the stream with an error, and settled its output like any other answer', async () => {
    const generation = await finalGeneration(client, cutId);

    // Agents retry an answer that ends with an error; an interrupted connection may look like a normal end.
    expect(cutTypes.at(-1)).toBe('error');
    expect(generation).toMatchObject({ cancelled: true });
    expect(generation['tokens_completion']).toBeGreaterThan(20);
    expect(second.log()).not.toContain('holds swept');
  });

  it('leaves no files about its processes behind', async () => {
    await second.stop();

    expect(existsSync(join(data, 'run.json'))).toBe(false);
  });
});

/** Stops a gateway that has written a part of an answer, and returns the answer's id, and the types of its events. */
async function stopWithinStream(gateway: RunningGateway): Promise<{ id: string; types: string[] }> {
  const ask = { model: 'sandbox/claude', stream: true, messages: [said('Write', 'tokens=500 delay=10')] };
  const response = await post(gateway, '/messages', ask);
  const isWritten = Promise.withResolvers<void>();
  let deltas = 0;
  const types: string[] = [];
  const reading = readEvents(response, ({ type }) => {
    types.push(type);
    if (type === 'content_block_delta') deltas += 1;
    if (deltas === 40) isWritten.resolve();
  });
  await isWritten.promise;
  await gateway.stop();
  await reading;
  return { id: response.headers.get('x-generation-id')!, types };
}

describe('a gateway that starts while commands use its data', () => {
  it('keeps its database, and the commands can use it', async () => {
    const data = join(directory, 'shared');
    const after = async (delayMs: number, name: string) => {
      await sleep(delayMs);
      return admin(data, 'accounts', 'create', '--name', name);
    };

    const commands = [0, 50, 250, 500, 800].map((delayMs) => after(delayMs, `after ${delayMs}`));
    const [gateway, ...made] = await Promise.all([startGateway({ args: ['--data', data] }), ...commands]);

    expect(made).toHaveLength(5);
    const answer = await post(gateway, '/messages', { model: 'sandbox/gpt', messages: [said('x', 'delay=0')] });
    expect(answer.status).toBe(200);
    const accounts = await admin(data, 'accounts', 'list');
    await gateway.stop();
    for (const delayMs of [0, 50, 250, 500, 800]) expect(JSON.stringify(accounts)).toContain(`after ${delayMs}`);
  });
});

describe('a gateway without a reader of its log', () => {
  it('answers, and settles, as before', async () => {
    const gateway = await startGateway();
    gateway.process.stderr!.destroy();

    const ask = { model: 'sandbox/gpt', messages: [said('x', 'delay=0')] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(gateway, '/messages', ask)));
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));

    for (const id of ids) expect(await finalGeneration(gateway, id)).toMatchObject({ finish_reason: 'end_turn' });
    await gateway.stop();
  });
});

describe('a gateway started at another time', () => {
  it('uses that time for its records and in the commands of the operator', async () => {
    const data = mkdtempSync(join(tmpdir(), 'gateway-later-'));
    const gateway = await startGateway({ args: ['--now', '2031-05-17T23:00:00Z', '--data', data] });
    const response = await post(gateway, '/messages', { model: 'sandbox/gpt', messages: [said('x', 'delay=0')] });
    const { id } = (await response.json()) as { id: string };
    expect(await finalGeneration(gateway, id)).toMatchObject({
      created_at: expect.stringMatching(/^2031-05-17T23:0/) as string,
    });
    // The operator's commands use the gateway's clock as well.
    expect(await admin(data, 'generations', 'list')).toMatchObject([{ id, status: 'complete' }]);
    await gateway.stop();
    rmSync(data, { recursive: true, force: true });
  });
});
