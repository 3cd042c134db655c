import type { IncomingMessage } from 'node:http';

/**
 * For one request: the client's address, and the host name and protocol of the gateway. On AWS, functions get these in
 * the event.
 */
export interface Origin {
  clientAddress: string;
  /**
   * Host name of the gateway, with the port if there is one. URLs that the gateway sends out contain this name, for
   * example the webhook URL for a video provider.
   */
  domain: string;
  protocol: 'http' | 'https';
}

/** Settings that determine which headers of a request can be trusted. */
export interface Vantage {
  /** Host name of the gateway, if the operator has configured it. */
  domain?: string | undefined;
  /** Whether the `host` header of each request is already checked, as on Lambda. */
  isHostChecked: boolean;
  /**
   * Number of proxies, of the operator or of AWS, between the client and this process. Each proxy appends the address
   * of its own client to `x-forwarded-for`.
   */
  proxies: number;
}

/** Settings of a gateway that runs on a developer's machine. Its clients connect directly from the same machine. */
export const directly: Vantage = { isHostChecked: false, proxies: 0 };

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Returns the origin of a request. The first addresses in `x-forwarded-for` may come from the client. Only the
 * addresses at the end, which the trusted proxies have appended, are therefore used.
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
