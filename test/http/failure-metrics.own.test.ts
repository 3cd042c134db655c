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

/** Returns the metrics that were written, without the refusals by kind, which every failure has. */
const measured = () =>
  lines.flatMap(({ _aws, ...fields }) => (_aws === undefined || 'Refused' in fields ? [] : [fields]));

const provider = { id: 'one', name: 'One', baseUrl: 'https://one.example', credential: undefined };
const ofProvider = (status: number) => refusalOfResponse({ status, headers: {} }, '{"message":"Busy"}', provider);

describe('a request that fails', () => {
  it.each([500, 502, 503, 529, 504, 408, 401])(
    'is a failure of its provider, which has answered with %d',
    async (status) => {
      await answerThatFails(ofProvider(status));
      expect(measured()).toEqual([{ ProviderFailed: 1, door: 'api' }]);
    },
  );

  it.each([400, 413, 429])('is nobody’s failure where its provider refuses it with %d', async (status) => {
    await answerThatFails(ofProvider(status));
    expect(measured()).toEqual([]);
  });

  it('is no failure of a provider where the table is busy', async () => {
    await answerThatFails(new StoreBusyError());
    expect(measured()).toEqual([]);
  });

  it('is a fault of ours where nobody has foreseen it', async () => {
    await answerThatFails(new TypeError('a bug'));
    expect(measured()).toEqual([{ Faults: 1 }, { Faults: 1, door: 'api' }]);
  });

  it.each([
    ['url', { event: urlEvent }],
    ['web', { context: { ...lambda, door: 'web' } }],
  ])('is counted at the door through which it came: %s', async (door, came) => {
    await answerThatFails(ofProvider(503), came);
    expect(measured()).toEqual([{ ProviderFailed: 1, door }]);
  });

  it.each([
    ['request failed', new TypeError('a bug')],
    ['service busy', new OutOfOrder()],
  ])('says in the line "%s" by which id Lambda’s own lines are found', async (message, error) => {
    await answerThatFails(error);
    expect(lines).toContainEqual(expect.objectContaining({ message, awsRequestId: 'lambda-1' }));
  });
});

describe('an answer that has begun, and breaks off', () => {
  it('is counted by the provider that did not finish it', () => {
    measureBreak(ofProvider(529), 'api');
    expect(measured()).toEqual([{ BrokeOff: 1, provider: 'One' }]);
  });

  it('is a fault of ours where nobody has foreseen it', () => {
    measureBreak(new TypeError('a bug'), 'url');
    expect(measured()).toEqual([{ Faults: 1 }, { Faults: 1, door: 'url' }]);
  });

  it('is nothing where its client has left', () => {
    measureBreak(clientHasLeft(ofProvider(503)), 'api');
    expect(measured()).toEqual([]);
  });
});

describe('a request that no route takes', () => {
  it('says by which id Lambda’s own lines are found', async () => {
    await answerUnknownRoute(restEvent({ ...get, path: '/nothing', resource: '/{path+}' }), lambda);
    expect(lines).toMatchObject([{ route: 'unknown-route', awsRequestId: 'lambda-1' }]);
  });
});
