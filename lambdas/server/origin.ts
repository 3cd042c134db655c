import type { IncomingMessage } from 'node:http';

/** Who sends a request, and where the gateway is reached by it: what AWS tells a function of the connection. */
export interface Origin {
  clientAddress: string;
  /** Name, and port if there is one. Addresses for others are made of it, such as the one that a provider of videos is told for its notices. */
  domain: string;
  protocol: 'http' | 'https';
}

/** How far the words of a request about itself may be believed. */
export interface Vantage {
  /** The gateway's own name, where the operator has told it. */
  domain?: string | undefined;
  /** Whether somebody has checked the `host` of each request already, as Lambda does. */
  isHostChecked: boolean;
  /** Proxies of the operator's own, or of AWS, between the client and this process: each adds whom it serves to `x-forwarded-for`. */
  proxies: number;
}

/** A process that is reached directly, on the machine itself. */
export const directly: Vantage = { isHostChecked: false, proxies: 0 };

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Never what a client merely says: only the last of the addresses in `x-forwarded-for` are written by others than it. */
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
  // Node joins repeated headers of this name.
  const addresses = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
  return addresses.at(-proxies)?.trim() || undefined;
}

function ownAddress({ socket }: IncomingMessage): string {
  return `${socket.localAddress ?? '127.0.0.1'}:${socket.localPort}`;
}
