import { afterEach, describe, expect, it, vi } from 'vitest';
import { hostingOf } from '../../lambdas/server/hosting.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the hosting of a container', () => {
  it('listens on all interfaces at the usual port, and trusts no proxy', () => {
    expect(hostingOf()).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      clientIpSource: { domain: undefined, isHostChecked: false, proxies: 0 },
    });
  });

  it('has its address from variables', () => {
    vi.stubEnv('GATEWAY_HOST', '10.0.0.1');
    vi.stubEnv('GATEWAY_PORT', '9000');
    vi.stubEnv('GATEWAY_DOMAIN', 'api.example');
    vi.stubEnv('GATEWAY_PROXIES', '2');
    expect(hostingOf()).toMatchObject({
      host: '10.0.0.1',
      port: 9000,
      clientIpSource: { domain: 'api.example', isHostChecked: false, proxies: 2 },
    });
  });

  it('may have a maximum of concurrent requests, and a time to stop', () => {
    vi.stubEnv('GATEWAY_MAX_REQUESTS', '64');
    vi.stubEnv('GATEWAY_GRACE_SECONDS', '300');
    expect(hostingOf()).toMatchObject({ maxRequests: 64, shutdown: { graceMs: 300_000, finishMs: 290_000 } });
  });

  it('has half of its grace period for running answers by default', () => {
    expect(hostingOf().shutdown).toEqual({ graceMs: 20_000, finishMs: 10_000 });
  });

  it.each(['-1', 'two', '1.5'])('does not start with %s proxies', (proxies) => {
    vi.stubEnv('GATEWAY_PROXIES', proxies);
    expect(hostingOf).toThrow(/GATEWAY_PROXIES/);
  });
});

describe.each([undefined, '127.0.0.1:9001'])('leases of a server at %s', (endpoint) => {
  it.each([
    [undefined, true],
    ['on', true],
    ['off', false],
  ])('are taken, unless they are switched off: %s', (said, takesLeases) => {
    vi.stubEnv('AWS_LAMBDA_HTTP_ENDPOINT', endpoint);
    vi.stubEnv('GATEWAY_LEASES', said);
    expect(hostingOf()).toMatchObject({ takesLeases });
  });

  it('must be on or off', () => {
    vi.stubEnv('AWS_LAMBDA_HTTP_ENDPOINT', endpoint);
    vi.stubEnv('GATEWAY_LEASES', 'no');
    expect(hostingOf).toThrow(/GATEWAY_LEASES/);
  });
});

describe('the hosting of a Web Function', () => {
  it.each([
    ['127.0.0.1:9001', '127.0.0.1', 9001],
    ['http://127.0.0.1:9001', '127.0.0.1', 9001],
    ['[::1]:9001', '::1', 9001],
  ])('listens at %s', (endpoint, host, port) => {
    vi.stubEnv('AWS_LAMBDA_HTTP_ENDPOINT', endpoint);
    expect(hostingOf()).toMatchObject({ host, port, clientIpSource: { isHostChecked: true, proxies: 1 } });
  });

  it('has less than the second that Lambda gives it to stop', () => {
    vi.stubEnv('AWS_LAMBDA_HTTP_ENDPOINT', '127.0.0.1:9001');
    expect(hostingOf().shutdown.graceMs).toBeLessThan(1_000);
  });

  it('does not start without an address', () => {
    vi.stubEnv('AWS_LAMBDA_HTTP_ENDPOINT', 'nonsense');
    expect(hostingOf).toThrow(/AWS_LAMBDA_HTTP_ENDPOINT/);
  });
});
