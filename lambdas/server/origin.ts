import type { IncomingMessage } from 'node:http';

/** The client's address and the gateway's own address of a request, as AWS reports them to a function. */
export interface Origin {
  clientAddress: string;
  /** Name, and port if there is one. URLs for others contain it, such as the webhook URL for a provider of videos. */
  domain: string;
  protocol: 'http' | 'https';
}

/** The trusted statements of a request about its own origin. */
export interface Vantage {
  /** The gateway's own name, if the operator has set it. */
  domain?: string | undefined;
  /** Whether the `host` of each request is already checked, as on Lambda. */
  isHostChecked: boolean;
  /**
   * Proxies of the operator or of AWS between the client and this process. Each adds its client's address to
   * `x-forwarded-for`.
   */
  proxies: number;
}

/** A process that is reached directly, on the machine itself. */
export const directly: Vantage = { isHostChecked: false, proxies: 0 };

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** Never trusts a client's own statement: only the last addresses in `x-forwarded-for` are written by proxies. */
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
