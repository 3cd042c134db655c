import type { IncomingMessage } from 'node:http';

/** The client's address, and the host name and protocol of the gateway. */
export interface Origin {
  clientAddress: string;
  /**
   * Host name of the gateway, with the port if there is one. The gateway sends it out in URLs, such as the webhook URL
   * for a video provider.
   */
  domain: string;
  protocol: 'http' | 'https';
}

/** Settings that determine which headers can be trusted. */
export interface Vantage {
  /** Host name of the gateway, if the operator has configured it. */
  domain?: string | undefined;
  /** Whether the `host` header is already checked, as on Lambda. */
  isHostChecked: boolean;
  /** Number of proxies before this process, each of which appends its client's address to `x-forwarded-for`. */
  proxies: number;
}

/** Settings for a developer's machine, on which clients connect directly from the same machine. */
export const directly: Vantage = { isHostChecked: false, proxies: 0 };

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the origin of a request. The first addresses in `x-forwarded-for` may come from the client. Only addresses
 * that trusted proxies have appended are used.
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
