import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as answerUnknownRoute } from '../../lambdas/api/service/unknown-route.ts';
import { definePublicEndpoint } from '../../lambdas/http/define-public-endpoint.ts';
import { measureBreak } from '../../lambdas/http/failure-metrics.ts';
import { clientHasLeft, ServiceError } from '../../lambdas/platform/errors.ts';
import { refusalOfResponse } from '../../lambdas/providers/failures.ts';
import { StoreBusyError } from '../../lambdas/store/table/transact.ts';
import { restEvent } from '../support/rest-events.ts';

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as Record<string, unknown>);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

class OutOfOrder extends ServiceError {
  readonly isPassing = true;
}

const get = { method: 'GET', resource: '/health', path: '/health', pathParameters: null };
const urlEvent = {
  rawPath: '/health',
  rawQueryString: '',
  headers: {},
  requestContext: { domainName: 'url.example', http: { method: 'GET', path: '/health', sourceIp: '203.0.113.7' } },
};
const lambda = { getRemainingTimeInMillis: () => 1_000, awsRequestId: 'lambda-1' };

async function answerThatFails(error: Error, { event, context }: { event?: object; context?: object } = {}) {
  const handler = definePublicEndpoint('health', {}, () => Promise.reject(error));
  await handler((event ?? restEvent(get)) as never, (context ?? lambda) as never);
}

/** Returns the metrics without the metric of refusals by kind, which every failure has. */
const measured = () =>
  lines.flatMap(({ _aws, ...fields }) => (_aws === undefined || 'Refused' in fields ? [] : [fields]));

const provider = { id: 'one', name: 'One', baseUrl: 'https://one.example', credential: undefined };
const ofProvider = (status: number) => refusalOfResponse({ status, headers: {} }, '{"message":"Busy"}', provider);

describe('the metric of a failed request', () => {
  it.each([500, 502, 503, 529, 504, 408, 401])(
    'counts a failure of the provider if it answers with %d',
    async (status) => {
      await answerThatFails(ofProvider(status));
      expect(measured()).toEqual([{ ProviderFailed: 1, door: 'api' }]);
    },
  );

  it.each([400, 413, 429])('counts no failure if the provider refuses the request with %d', async (status) => {
    await answerThatFails(ofProvider(status));
    expect(measured()).toEqual([]);
  });

  it('counts no failure of a provider if the table is busy', async () => {
    await answerThatFails(new StoreBusyError());
    expect(measured()).toEqual([]);
  });

  it('counts a fault of the gateway for an unexpected error', async () => {
    await answerThatFails(new TypeError('a bug'));
    expect(measured()).toEqual([{ Faults: 1 }, { Faults: 1, door: 'api' }]);
  });

  it.each([
    ['url', { event: urlEvent }],
    ['web', { context: { ...lambda, entryPoint: 'web' } }],
  ])('has the entry point of the request: %s', async (door, came) => {
    await answerThatFails(ofProvider(503), came);
    expect(measured()).toEqual([{ ProviderFailed: 1, door }]);
  });

  it.each([
    ['request failed', new TypeError('a bug')],
    ['service busy', new OutOfOrder()],
  ])('has the request id of Lambda\'s own lines in the line "%s"', async (message, error) => {
    await answerThatFails(error);
    expect(lines).toContainEqual(expect.objectContaining({ message, awsRequestId: 'lambda-1' }));
  });
});

describe('the metric of an interrupted answer', () => {
  it('counts the provider that did not complete it', () => {
    measureBreak(ofProvider(529), 'api');
    expect(measured()).toEqual([{ BrokeOff: 1, provider: 'One' }]);
  });

  it('counts a fault of the gateway for an unexpected error', () => {
    measureBreak(new TypeError('a bug'), 'url');
    expect(measured()).toEqual([{ Faults: 1 }, { Faults: 1, door: 'url' }]);
  });

  it('counts nothing if the client has disconnected', () => {
    measureBreak(clientHasLeft(ofProvider(503)), 'api');
    expect(measured()).toEqual([]);
  });
});

describe('a request to an unknown route', () => {
  it("logs the request id of Lambda's own lines", async () => {
    await answerUnknownRoute(restEvent({ ...get, path: '/nothing', resource: '/{path+}' }), lambda);
    expect(lines).toMatchObject([{ route: 'unknown-route', awsRequestId: 'lambda-1' }]);
  });
});
