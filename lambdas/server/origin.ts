import type { IncomingMessage } from 'node:http';

/** The client's address, and the gateway's own address, for one request. AWS reports both to functions. */
export interface Origin {
  clientAddress: string;
  /**
   * Host name of the gateway, with its port if there is one. It is part of URLs that the gateway gives to others, such
   * as the webhook URL for a provider of videos.
   */
  domain: string;
  protocol: 'http' | 'https';
}

/** Settings that decide which headers of a request can be trusted. */
export interface Vantage {
  /** Host name of the gateway, if the operator has configured it. */
  domain?: string | undefined;
  /** Whether the `host` header of each request is already checked, as on Lambda. */
  isHostChecked: boolean;
  /**
   * Number of proxies of the operator or of AWS between the client and this process. Each proxy appends the address of
   * its client to `x-forwarded-for`.
   */
  proxies: number;
}

/** Settings of a process on a laptop. Its clients are on the same machine and use no proxy. */
export const directly: Vantage = { isHostChecked: false, proxies: 0 };

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the origin of a request. The client may have written the first addresses in `x-forwarded-for`. So only the
 * last addresses count, which the trusted proxies have appended.
 */
export function originOf(request: IncomingMessage, { domain, isHostChecked, proxies }: Vantage): Origin {
  const { host = '' } = request.headers;
  const known = domain ?? (isHostChecked ? host : undefined);
  return {
    clientAddress: forwardedAddress(request, proxies) ?? request.socket.remoteAddress ?? '127.0.0.1',
    domain: known ?? (LOOPBACK.test(host) ? host : ownAddress(request)),
    protocol: known === undefined ? 'http' : 'https',
  };
}

function forwardedAddress({ headers }: IncomingMessage, proxies: number): string | undefined {
  if (proxies === 0) return undefined;
  // Node joins repeated headers of this name with commas.
  const addresses = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  return addresses.at(-proxies)?.trim() || undefined;
}

function ownAddress({ socket }: IncomingMessage): string {
  return `${socket.localAddress ?? '127.0.0.1'}:${socket.localPort}`;
}
