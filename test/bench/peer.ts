/** Descriptions of other gateways, and requests to their management APIs. */

import type { Prices } from './bench-catalog.ts';
import type { PeerOptions } from './lanes.ts';

/** Files, addresses and prices with which a peer is started. */
export interface Setup {
  /** Directory for configuration files. */
  directory: string;
  upstreamUrl: string;
  port: number;
  prices?: Prices;
}

/** Key with a limit. */
export interface LimitedKey {
  headers: Record<string, string>;
  /** Returns the cost that the gateway has recorded for the key. */
  recorded: () => Promise<number>;
}

export interface Peer {
  name: string;
  /** File that exists if the peer is installed, relative to the directory of `--peers`. */
  program: string;
  start: (program: string, setup: Setup) => Omit<PeerOptions, 'name'>;
  /** Creates a key with a limit on a running peer. Absent if the peer has no limits. */
  newLimitedKey?: (setup: Setup, limit: number) => Promise<LimitedKey>;
}

/** Sends a JSON request to the management API of a gateway, and returns the response's JSON. */
export async function manage<Answer>(
  url: string,
  { method = 'POST', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}
