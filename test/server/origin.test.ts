import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { originOf, type Vantage } from '../../lambdas/server/origin.ts';

const socket = { remoteAddress: '10.0.0.9', localAddress: '10.0.0.1', localPort: 8080 };

function origin(headers: Record<string, string>, clientIpSource: Partial<Vantage>) {
  const request = { headers, socket } as unknown as IncomingMessage;
  return originOf(request, { isHostChecked: false, proxies: 0, ...clientIpSource });
}

describe('the client address of a request', () => {
  const forwarded = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.0.0.2' };

  it.each([
    ['the other end of the connection without a proxy', 0, forwarded, '10.0.0.9'],
    ['the address from the only proxy', 1, forwarded, '10.0.0.2'],
    ['the address from the outer one of two proxies', 2, forwarded, '203.0.113.7'],
    ['the other end if a proxy sent no address', 1, {}, '10.0.0.9'],
    ['the other end if more proxies are expected than addresses were sent', 4, forwarded, '10.0.0.9'],
  ])('is %s', (_, proxies, headers, address) => {
    expect(origin(headers, { proxies }).clientAddress).toBe(address);
  });
});

describe('the base URL of a request', () => {
  it.each<[string, string, Partial<Vantage>, string, string]>([
    ['the configured domain', 'evil.example', { domain: 'api.example' }, 'https', 'api.example'],
    ['the host that Lambda has checked', 'abc.on.aws', { isHostChecked: true }, 'https', 'abc.on.aws'],
    ['an address of this machine', 'localhost:8787', {}, 'http', 'localhost:8787'],
    ['its own address if the host header is not trusted', 'evil.example', {}, 'http', '10.0.0.1:8080'],
  ])('is %s', (_, host, clientIpSource, protocol, domain) => {
    expect(origin({ host }, clientIpSource)).toMatchObject({ protocol, domain });
  });
});
