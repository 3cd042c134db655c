import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFaultProxy, untilQuiet, type FaultProxy } from '../support/fault-proxy.ts';
import { betweenSchedules, get, startGateway, type RunningGateway } from '../support/gateway.ts';

let proxy: FaultProxy;
let gateway: RunningGateway;
beforeAll(async () => {
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  gateway = await startGateway({
    args: ['--ephemeral', ...betweenSchedules()],
    env: { DYNAMODB_ENDPOINT: proxy.endpoint },
  });
  await untilQuiet(proxy);
});
afterAll(async () => {
  await gateway.stop();
  await proxy.stop();
});

async function callsOf(key: string): Promise<string[]> {
  const from = proxy.calls.length;
  const response = await get(gateway, '/keys', key);
  expect(response.status).toBe(401);
  await response.text();
  return proxy.calls.slice(from).map(({ action }) => action);
}

describe('an unknown key', () => {
  it('costs one read, and none while that is cached', async () => {
    const unknown = `mk-mg-v1-${'1'.repeat(64)}`;
    expect(await callsOf(unknown)).toEqual(['GetItem']);
    expect(await callsOf(unknown)).toEqual([]);
  });

  it.each(['sk-or-v1-123', 'x', `mk-mg-v1-${'g'.repeat(64)}`, `sk-mg-v1-${'0'.repeat(65)}`])(
    'costs no read if its form is wrong: %s',
    async (key) => {
      expect(await callsOf(key)).toEqual([]);
    },
  );
});
