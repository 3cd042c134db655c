import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventLimit } from '../../lambdas/server/bodies.ts';
import { listen, type Listener } from '../../lambdas/server/listener.ts';
import { gatewayStopping } from '../../lambdas/platform/errors.ts';

const lines: Record<string, unknown>[] = [];
let listener: Listener | undefined;
beforeEach(() => {
  lines.length = 0;
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as Record<string, unknown>);
    return true;
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await listener?.stop();
});

/** Returns the metrics of a server that answers every request with an error. */
async function metricsOf(error: Error, sent = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n') {
  listener = await listen({ host: '127.0.0.1', port: 0 }, () => Promise.reject(error));
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  socket.end(sent).resume();
  await once(socket, 'close');
  return lines.flatMap(({ _aws, ...fields }) => (_aws === undefined ? [] : [fields]));
}

it.each([
  ['a process that stops', gatewayStopping(), 'provider_overloaded'],
  ['a body that is too large', eventLimit.refusal(), 'payload_too_large'],
])('a refusal of the server counts by its kind: %s', async (_, error, kind) => {
  expect(await metricsOf(error)).toEqual([{ Refused: 1, kind }]);
});

it('a request that cannot be read counts as refused', async () => {
  expect(await metricsOf(gatewayStopping(), 'not a request\r\n\r\n')).toEqual([
    { Refused: 1, kind: 'invalid_request' },
  ]);
});

it('a function that fails without a result counts as refused and as a fault', async () => {
  expect(await metricsOf(new TypeError('a bug'))).toEqual([
    { Refused: 1, kind: 'server' },
    { Faults: 1 },
    { Faults: 1, door: 'web' },
  ]);
});
