import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bucketOf } from '../../lambdas/statistics/histogram.ts';
import { measureEndpoints } from '../../lambdas/statistics/measure.ts';
import { addToSlot, SLOT_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import { startDynamodb, type LocalDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { textModel } from '../support/catalog.ts';
import { startFaultProxy, type DynamodbCall, type FaultProxy } from '../support/fault-proxy.ts';
import { get, said } from '../support/gateway.ts';
import { askFor, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';
import { eventually } from '../support/eventually.ts';

const PATIENCE_MS = 2_000;

let dynamodb: LocalDynamodb;
let proxy: FaultProxy;
let scripted: ScriptedGateway;
beforeAll(async () => {
  dynamodb = await startDynamodb(undefined);
  proxy = await startFaultProxy(dynamodb.endpoint);
  scripted = await startScriptedGateway({
    models: [
      textModel('test/two', [
        { provider: 'ill', pricing: { prompt: '0.0001', completion: '0.0002' } },
        { provider: 'sound', pricing: { prompt: '0.0004', completion: '0.0008' } },
      ]),
    ],
    providers: [
      { id: 'ill', wire: 'anthropic' },
      { id: 'sound', wire: 'anthropic' },
    ],
    env: { DYNAMODB_ENDPOINT: proxy.endpoint },
  });
});
afterEach(() => {
  proxy.before = () => undefined;
  proxy.faultFor = () => undefined;
});
afterAll(async () => {
  await scripted.stop();
  await proxy.stop();
  await dynamodb.stop();
});

interface Shown {
  endpoint_id: string;
  status?: number;
}

async function shownEndpoints(): Promise<Shown[]> {
  const begunAtMs = performance.now();
  const response = await get(scripted.gateway, '/models/test/two/endpoints');
  expect(response.status).toBe(200);
  expect(performance.now() - begunAtMs).toBeLessThan(PATIENCE_MS);
  return ((await response.json()) as { data: { endpoints: Shown[] } }).data.endpoints;
}

const statuses = async () =>
  Object.fromEntries((await shownEndpoints()).map(({ endpoint_id: id, status }) => [id, status]));

/**
 * Sends a request, and returns its duration in ms. The request sets the order of the endpoints, so the failing endpoint
 * is always tried first.
 */
async function ask(stream = false): Promise<number> {
  let failures = 0;
  const marker = scripted.behaves(({ respond }) => {
    failures += 1;
    return respond('529 Overloaded', {}, '{}');
  });
  const provider = { order: ['ill', 'sound'] };
  const begunAtMs = performance.now();
  const response = await askFor(scripted.gateway, { model: 'test/two', messages: [said(marker)], provider, stream });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('All is well.');
  expect(failures).toBe(1);
  return performance.now() - begunAtMs;
}

const isAboutHealth = ({ body }: DynamodbCall) => body.includes('HEALTH#');
const isReport = (call: DynamodbCall) => call.action === 'PutItem' && isAboutHealth(call);
const isCount = (call: DynamodbCall) => call.action === 'UpdateItem' && isAboutHealth(call);

// The measurement is cached for half a minute once it was read.
describe('the measurement of an endpoint', () => {
  it('is shown with the endpoint', async () => {
    const table = scripted.gateway.table();
    const slot = { slotMs: Math.floor(Date.now() / SLOT_MS) * SLOT_MS, shard: 0, endpointId: 'test/two/0' };
    const latencyMs = new Map([[bucketOf(300), 99]]);
    await addToSlot(table, slot, { requests: 100, failures: 1, latencyMs, throughput: new Map() });
    await measureEndpoints(table, Date.now());

    const [measured, other] = await shownEndpoints();

    expect(measured).toMatchObject({ uptime_last_30m: 99, uptime_last_1d: 99, throughput_last_30m: null });
    const { p50 } = (measured as unknown as { latency_last_30m: { p50: number } }).latency_last_30m;
    expect(Math.abs(p50 - 300)).toBeLessThanOrEqual(30);
    expect(other).toMatchObject({ uptime_last_5m: null, uptime_last_30m: null, latency_last_30m: null });
  });
});

async function reports(): Promise<unknown[]> {
  const items = await Array.fromAsync(queryPartition(scripted.gateway.table(), 'HEALTH#RECENT'));
  return items.map((item) => item['attempts']);
}

describe('an endpoint that fails', () => {
  it('is shown as failing, and reported to the other instances', async () => {
    expect(await statuses()).toEqual({ 'test/two/0': 0, 'test/two/1': 0 });

    await ask();

    expect(await statuses()).toEqual({ 'test/two/0': -1, 'test/two/1': 0 });
    // The report is published concurrently with the answer, so it may arrive later.
    await expect.poll(reports).toMatchObject([{ 'test/two/0': [[expect.anything(), '0', '1']] }]);
  });

  it('is counted when the generation is settled', async () => {
    await ask();
    await eventually(() =>
      expect(
        proxy.calls
          .filter(isCount)
          .map(({ body }) => body)
          .join(),
      ).toContain('test/two/1'),
    );
  });
});

describe('a table that fails reads of health', () => {
  it.each(['refuses', 'is silent'])('delays requests by less than two seconds when it %s', async (how) => {
    const met: DynamodbCall[] = [];
    const meets = (call: DynamodbCall) => isAboutHealth(call) && met.push(call) > 0;
    if (how === 'refuses') proxy.faultFor = (call) => (meets(call) ? 'throttle' : undefined);
    else proxy.before = (call) => (meets(call) ? new Promise(() => {}) : undefined);

    // Reports are written once per second.
    do {
      expect(await ask(true)).toBeLessThan(PATIENCE_MS);
      expect(await ask(false)).toBeLessThan(PATIENCE_MS);
    } while (!met.some(isReport));
    expect((await shownEndpoints()).map(({ endpoint_id: id }) => id)).toEqual(['test/two/0', 'test/two/1']);
  });
});
