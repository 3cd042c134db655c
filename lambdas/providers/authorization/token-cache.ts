/** Caches one access token per key. Concurrent requests for a new token share one exchange. */

import { BoundedMap } from '../../platform/bounded-map.ts';
import { nowMs } from '../../platform/clock.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

export interface AccessToken {
  token: string;
  /** Time of expiry, in epoch milliseconds. */
  expiresAtMs: number;
}

export interface TokenCache {
  /**
   * Returns the cached token of a key, or a new one if there is none or it expires soon.
   * @param key text that identifies the token: all inputs of the exchange
   * @param exchange must time out by itself; its errors must not contain the credential
   */
  get(key: string, exchange: () => Promise<AccessToken>): Promise<string>;
  /** Drops a token that a provider rejected. If the cache already has a newer token, that token stays. */
  drop(key: string, token: string): void;
}

interface CachedToken {
  current: AccessToken | undefined;
  running: Promise<AccessToken> | undefined;
  failure: { error: unknown; untilMs: number } | undefined;
}

/** Time before its expiry at which a token is replaced, so that it does not expire before the provider checks it. */
const MARGIN_MS = 60_000;
/** Maximum time for which a token is kept, in case the provider reports a wrong expiry. */
const MAX_LIFETIME_MS = 24 * 60 * 60_000;
/** Time after a failed exchange during which no other exchange is tried, to spare a failing provider. */
const FAILURE_MS = 1_000;
/** Maximum number of cached tokens. Above it, the oldest token is dropped. */
const MAX_KEYS = 256;

/**
 * Returns an empty cache. Expiry is checked with the wall clock: `performance.now()` may stop while Lambda freezes the
 * environment.
 */
export function tokenCache(): TokenCache {
  const entries = new BoundedMap<string, CachedToken>(MAX_KEYS);

  const entryOf = (key: string): CachedToken => {
    const known = entries.get(key);
    if (known) return known;
    const entry: CachedToken = { current: undefined, running: undefined, failure: undefined };
    entries.set(key, entry);
    return entry;
  };

  return {
    async get(key, exchange) {
      const entry = entryOf(key);
      if (entry.current && holdsFor(entry.current, MARGIN_MS)) return entry.current.token;
      try {
        return (await renewed(entry, exchange)).token;
      } catch (error) {
        // The exchange failed, but the old token is still valid for a short time.
        if (entry.current && holdsFor(entry.current, 0)) return entry.current.token;
        throw error;
      }
    },
    drop(key, token) {
      const entry = entries.get(key);
      if (entry?.current?.token === token) entry.current = undefined;
    },
  };
}

function renewed(entry: CachedToken, exchange: () => Promise<AccessToken>): Promise<AccessToken> {
  if (entry.running) return entry.running;
  if (entry.failure && nowMs() < entry.failure.untilMs) return Promise.reject(entry.failure.error);
  entry.running = exchange()
    .then(
      ({ token, expiresAtMs }) => {
        entry.failure = undefined;
        entry.current = { token, expiresAtMs: Math.min(expiresAtMs, nowMs() + MAX_LIFETIME_MS) };
        return entry.current;
      },
      (error: unknown) => {
        entry.failure = { error, untilMs: nowMs() + FAILURE_MS };
        throw error;
      },
    )
    .finally(() => (entry.running = undefined));
  return entry.running;
}

function holdsFor({ expiresAtMs }: AccessToken, ms: number): boolean {
  return nowMs() + ms < expiresAtMs;
}

/** Returns the token in a request's `authorization` header. */
export function bearerOf(headers: OutgoingRequest['headers']): string {
  return (headers['authorization'] ?? '').replace('Bearer ', '');
}

/** Parses JSON; undefined if the text is not JSON. */
export function readTokenAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
