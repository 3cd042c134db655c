import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { windowsAt } from '../../lambdas/money/periods.ts';
import { Money } from '../../lambdas/money/money.ts';
import { readCounter } from '../../lambdas/store/counters/counters.ts';
import type { Generation } from '../../lambdas/store/generations/generation.ts';
import { generationsOfDay } from '../../lambdas/store/generations/generation-queries.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import { startTrouble } from '../support/table-trouble.ts';

const REQUESTS = repeated(2_000, { ofWhichAlways: 150 });
const AT_ONCE = 16;
/** Limit in RUB for each request, so that the key can pay for about every second answer. */
const LIMIT_FOR_EACH_RUB = 0.006;

let dynamodb: LocalDynamodb;
let proxy: FaultProxy;
let gateway: RunningGateway;
beforeAll(async () => {
  dynamodb = await startDynamodb(undefined);
  proxy = await startFaultProxy(dynamodb.endpoint);
  gateway = await startGateway({ env: { DYNAMODB_ENDPOINT: proxy.endpoint } });
});
afterAll(async () => {
  proxy.faultFor = () => undefined;
  await gateway.stop();
  await proxy.stop();
  await dynamodb.stop();
});

interface Answered {
  status: number;
  id: string;
  cost: string | undefined;
  body: string;
}

/**
 * Sends a request. In turn, requests are answered, streamed, failed at the provider, invalid, too expensive for the
 * key, and answered over another wire.
 */
async function ask(client: RunningGateway, turn: number): Promise<Answered> {
  const plain = { model: 'sandbox/claude', max_tokens: 30, messages: [said('Hi', 'delay=0')] };
  const kinds = [
    plain,
    { ...plain, stream: true },
    { ...plain, messages: [said('Hi', 'error=500')] },
    { ...plain, max_tokens: 'many' },
    { ...plain, max_tokens: 30_000 },
    { ...plain, model: 'sandbox/gpt' },
  ];
  const response = await post(client, '/messages', kinds[turn % kinds.length]);
  const body = await response.text();
  const cost = [...body.matchAll(/"cost":([\d.e-]+)/g)].at(-1)?.[1];
  return { status: response.status, id: response.headers.get('x-generation-id')!, cost, body };
}

async function generations(): Promise<Map<string, Generation>> {
  const found = new Map<string, Generation>();
  const today = new Date().toISOString().slice(0, 10);
  for await (const generation of generationsOfDay(gateway.table(), gateway.accountId, today)) {
    found.set(generation.id, generation);
  }
  return found;
}

it(
  `${REQUESTS} requests are charged exactly while the table throttles, conflicts, is late and loses replies`,
  { timeout: 600_000 },
  async () => {
    const { body: key } = await manage(gateway, 'POST', '/keys', {
      name: 'limited',
      limit: REQUESTS * LIMIT_FOR_EACH_RUB,
    });
    const client = { ...gateway, key: key.key as string };
    const calm = startTrouble(proxy);
    const answers: Answered[] = [];
    let turn = 0;
    const work = async () => {
      while (turn < REQUESTS) answers.push(await ask(client, turn++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await calm();

    // Clients see only expected statuses, and more than a tenth of the requests succeeds.
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual(expect.arrayContaining([200, 400, 402, 502]));
    expect(answers.filter(({ status }) => ![200, 400, 402, 502, 529].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(REQUESTS / 10);

    // A refused request costs nothing; an answered request costs the amount in its response.
    const records = await vi.waitFor(async () => {
      const found = await generations();
      expect([...found.values()].filter(({ state }) => state === 'pending').map(({ id }) => id)).toEqual([]);
      return found;
    }, 180_000);
    const costOf = (id: string) => records.get(id)?.outcome?.cost ?? Money.zero;
    const wrong = answers.filter(({ status, id, cost }) => {
      if (status !== 200) return !costOf(id).isZero;
      return cost !== undefined && !costOf(id).equals(Money.parseNumber(cost));
    });
    expect(wrong).toEqual([]);

    const sum = Money.sum([...records.values()].map(({ outcome }) => outcome!.cost));
    const counter = await readCounter(gateway.table(), { kind: 'key', id: (key['data'] as { hash: string }).hash });
    const { lifetime } = windowsAt(Date.now());
    expect([counter.spent(lifetime), counter.committed(lifetime)].map(String)).toEqual([String(sum), String(sum)]);
  },
);

const HEADERS = repeated(1_000, { ofWhichAlways: 50 });

/** Sends several requests with one Idempotency-Key, some of them concurrently. */
async function askRepeatedly(header: string, turn: number): Promise<Answered[]> {
  const send = async (): Promise<Answered> => {
    const body = { model: 'sandbox/claude', max_tokens: 30, stream: turn % 2 === 0, messages: [said('Hi', 'delay=0')] };
    const response = await post(gateway, '/messages', body, { 'idempotency-key': header });
    return {
      status: response.status,
      id: response.headers.get('x-generation-id')!,
      cost: '',
      body: await response.text(),
    };
  };
  const answers = await Promise.all(Array.from({ length: 1 + (turn % 3) }, send));
  return turn % 4 === 0 ? [...answers, await send()] : answers;
}

/** Whether the request was answered, now or before. */
const isAnswered = ({ status, body }: Answered) =>
  status === 200 || (status === 409 && body.includes('"total_cost_rub"'));

it(
  `the gateway charges each of ${HEADERS} Idempotency-Keys once, however often they are sent`,
  { timeout: 600_000 },
  async () => {
    const calm = startTrouble(proxy);
    const answers = new Map<string, Answered[]>();
    let turn = 0;
    const work = async () => {
      while (turn < HEADERS) {
        const own = turn++;
        answers.set(`header-${own}`, await askRepeatedly(`header-${own}`, own));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await calm();
    // Requests that were refused because of faults or of a running request are sent again.
    await vi.waitFor(async () => {
      for (const [header, given] of answers) {
        if (!given.some(isAnswered)) given.push(...(await askRepeatedly(header, Number(header.split('-')[1]))));
      }
      expect([...answers.values()].filter((given) => !given.some(isAnswered))).toEqual([]);
    }, 180_000);

    const records = await vi.waitFor(async () => {
      const found = await generations();
      expect([...found.values()].filter(({ state }) => state === 'pending').map(({ id }) => id)).toEqual([]);
      return found;
    }, 180_000);
    const chargedOf = (given: Answered[]) =>
      new Set(given.map(({ id }) => id).filter((id) => records.get(id)?.outcome?.cost.isZero === false)).size;
    const charged = [...answers].map(([header, given]) => [header, chargedOf(given)]);
    expect(charged.filter(([, count]) => count !== 1)).toEqual([]);
    const statuses = new Set([...answers.values()].flat().map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 409, 529].includes(status))).toEqual([]);
  },
);
