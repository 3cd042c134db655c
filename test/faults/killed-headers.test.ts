import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { eventually } from '../support/eventually.ts';

const HEADERS = repeated(1_000, { ofWhichAlways: 24 });
const KILLS = repeated(8, { ofWhichAlways: 1 });
const AT_ONCE = 12;

let directory: string;
let dynamodb: LocalDynamodb;
let proxy: FaultProxy;
let gateway: RunningGateway;
/** The gateway prints the key only at its first start. */
let key: string;

/** Starts a gateway with the same database, which outlives the gateway. */
const start = () => startGateway({ args: ['--data', directory], env: { DYNAMODB_ENDPOINT: proxy.endpoint } });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-killed-'));
  dynamodb = await startDynamodb(undefined);
  proxy = await startFaultProxy(dynamodb.endpoint);
  gateway = await start();
  ({ key } = gateway);
});
afterAll(async () => {
  proxy.faultFor = () => undefined;
  await gateway.stop();
  await proxy.stop();
  await dynamodb.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns whether a request with this Idempotency-Key was answered, now or earlier; undefined without a response. */
async function ask(header: string, turn: number): Promise<boolean | undefined> {
  const messages = [said('Hi', `delay=${20 * (turn % 5)}`)];
  const body = { model: 'sandbox/claude', max_tokens: 30, stream: turn % 2 === 0, messages };
  try {
    const response = await post({ ...gateway, key }, '/messages', body, { 'idempotency-key': header });
    const text = await response.text();
    return response.status === 200 || (response.status === 409 && text.includes('"total_cost_rub"'));
  } catch {
    return undefined;
  }
}

async function charged(): Promise<{ count: number; pending: number }> {
  const today = new Date().toISOString().slice(0, 10);
  const records = await Array.fromAsync(generationsOfDay(gateway.table(), gateway.accountId, today));
  return {
    count: records.filter(({ state, outcome }) => state === 'final' && outcome?.cost.isZero === false).length,
    pending: records.filter(({ state }) => state === 'pending').length,
  };
}

it(
  `the gateway charges each of ${HEADERS} Idempotency-Keys once, although it is killed ${KILLS} times`,
  { timeout: 900_000 },
  async () => {
    proxy.faultFor = ({ action }) => {
      const chance = Math.random();
      if (chance < 0.05) return 'throttle';
      return chance < 0.1 && !/^(?:Get|BatchGet|Query)/.test(action) ? 'lost-reply' : undefined;
    };
    const answered = new Set<string>();
    const open = Array.from({ length: HEADERS }, (_, turn) => turn);
    const work = async () => {
      for (let turn = open.shift(); turn !== undefined; turn = open.shift()) {
        const header = `header-${turn}`;
        const told = await Promise.all(Array.from({ length: 1 + (turn % 4) }, () => ask(header, turn)));
        if (told.includes(true)) answered.add(header);
        else {
          open.push(turn);
          await sleep(20);
        }
      }
    };
    let killsDuringRequests = 0;
    const killing = (async () => {
      for (let kill = 0; kill < KILLS && answered.size < HEADERS; kill += 1) {
        await sleep(300 + Math.random() * 1_200);
        if (answered.size < HEADERS) killsDuringRequests += 1;
        await gateway.kill();
        gateway = await start();
      }
    })();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await killing;
    proxy.faultFor = () => undefined;

    expect(answered.size).toBe(HEADERS);
    expect(killsDuringRequests).toBe(KILLS);
    await eventually(async () => expect(await charged()).toEqual({ count: HEADERS, pending: 0 }), 500);
  },
);
