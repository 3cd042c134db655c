import { authorizer, forgetter } from '../providers/authorization/schemes.ts';
import type { FailedProvider } from '../providers/failures.ts';
import { UpstreamRequest, type Timeouts, type UpstreamTarget } from '../providers/http/upstream-http.ts';
import type { UsableEndpoint } from './usable-endpoints.ts';

const defaultTimeouts: Timeouts = { connectMs: 5_000, firstByteMs: 300_000, idleMs: 120_000 };

interface WireHead {
  method?: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /**
   * Whether to open a new connection. A kept connection may be closed already; the request is then repeated, and may be
   * sent twice.
   */
  isFresh?: boolean;
}

/** Returns the provider's facts for errors and logs. */
export function failedProvider({ endpoint, credential }: UsableEndpoint): FailedProvider {
  const { id, name, baseUrl } = endpoint.provider;
  return { id, name, baseUrl, credential };
}

/** Opens a connection; nothing is sent before `send` is called. */
export function connect(usable: UsableEndpoint, head: WireHead, signal: AbortSignal): UpstreamRequest {
  const { endpoint } = usable;
  const { connect_ms, first_byte_ms, idle_ms } = endpoint.provider.data.timeouts ?? {};
  const url = `${endpoint.provider.baseUrl}${head.path}`;
  const headers = { ...endpoint.provider.data.headers, ...head.headers };
  return new UpstreamRequest(
    {
      url,
      method: head.method,
      isFresh: head.isFresh,
      headers,
      ca: usable.ca,
      ...authorization(usable, url, headers),
      timeouts: {
        connectMs: connect_ms ?? defaultTimeouts.connectMs,
        firstByteMs: first_byte_ms ?? defaultTimeouts.firstByteMs,
        idleMs: idle_ms ?? defaultTimeouts.idleMs,
      },
    },
    signal,
  );
}

function authorization(
  { endpoint, credential, ca }: UsableEndpoint,
  url: string,
  headers: Record<string, string>,
): Pick<UpstreamTarget, 'authorize' | 'renew'> {
  if (credential === undefined) return {};
  const authorize = authorizer(endpoint.auth);
  const forget = forgetter(endpoint.auth);
  const settings = { tokenUrl: endpoint.provider.data.token_url, ca };
  let sent: Record<string, string> = {};
  return {
    authorize: async (body) => (sent = await authorize(credential, { url, headers, body }, settings)),
    renew: () => {
      forget?.(credential, sent, settings);
      return forget !== undefined;
    },
  };
}
