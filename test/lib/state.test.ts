import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LocalState } from '../../lib/shared/data-directory/state.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-state-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('a data directory lists earlier starts of its gateway until their holds are settled', () => {
  const lives = LocalState.at(directory);
  expect(lives.beginBoot('first')).toEqual([]);
  expect(lives.beginBoot('second')).toEqual(['first']);
  // The sweep after the second start has failed, so `forgetBoots` was not called.
  expect(lives.beginBoot('third')).toEqual(['first', 'second']);
  lives.forgetBoots(['first', 'second']);
  expect(lives.beginBoot('fourth')).toEqual(['third']);
});

it('processes that open a new data directory at the same moment get the same secrets and leave no partial files', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'gateway-state-'));
  for (let round = 0; round < 5; round += 1) {
    const data = join(fresh, String(round));
    const gate = new SharedArrayBuffer(4);
    const users = Array.from(
      { length: 6 },
      () =>
        new Worker(new URL('../support/state-user-worker.ts', import.meta.url), {
          workerData: { directory: data, gate },
        }),
    );
    await Promise.all(users.map((user) => once(user, 'message')));
    const told = users.map((user) => once(user, 'message'));
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
    const secrets = (await Promise.all(told)).map(([text]) => text as string);

    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/"pepper":"[0-9a-f]{64}".*PRIVATE KEY/s);
    expect(readdirSync(data).toSorted()).toEqual(['sealing-key.pem', 'secrets.json']);
    await Promise.all(users.map((user) => user.terminate()));
  }
  rmSync(fresh, { recursive: true });
});
