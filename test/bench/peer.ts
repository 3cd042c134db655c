import type { Prices } from './bench-catalog.ts';
import type { PeerOptions } from './lanes.ts';

export interface Setup {
  /** Directory for configuration files. */
  directory: string;
  upstreamUrl: string;
  port: number;
  prices?: Prices;
}

export interface LimitedKey {
  headers: Record<string, string>;
  /** Returns the cost that the gateway has recorded for the key. */
  recorded: () => Promise<number>;
}

export interface Peer {
  name: string;
  /** File relative to the directory of `--peers` that exists if the peer is installed. */
  program: string;
  start: (program: string, setup: Setup) => Omit<PeerOptions, 'name'>;
  /** Absent if the peer has no limits. */
  newLimitedKey?: (setup: Setup, limit: number) => Promise<LimitedKey>;
}

/** Sends a JSON request to the management API of a gateway. */
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
