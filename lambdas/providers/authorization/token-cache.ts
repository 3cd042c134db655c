/**
 * Access tokens that a provider lends for a while in exchange for a credential. One is kept for each credential as long as
 * the process lives; requests that need it at the same time wait for the same exchange.
 */

import { BoundedMap } from '../../platform/bounded-map.ts';
import { nowMs } from '../../platform/clock.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

export interface AccessToken {
  token: string;
  /** Epoch milliseconds. */
  expiresAtMs: number;
}

export interface TokenCache {
  /**
   * The token of a key, exchanged when there is none that still holds.
   * @param key - whose token it is: everything that the exchange depends on
   * @param exchange - must end by itself, also when nobody answers; its errors must not contain the credential
   */
  get(key: string, exchange: () => Promise<AccessToken>): Promise<string>;
  /** A provider refused the token: the next `get` exchanges another, unless one has come since. */
  drop(key: string, token: string): void;
}

interface CachedToken {
  current: AccessToken | undefined;
  running: Promise<AccessToken> | undefined;
  failure: { error: unknown; untilMs: number } | undefined;
}

/** A token is exchanged this long before it ends, so that it does not end on the way. */
const MARGIN_MS = 60_000;
/** No provider lends one for longer; a nonsensical expiry must not keep a token for ever. */
const MAX_LIFETIME_MS = 24 * 60 * 60_000;
/** After a failure, requests of this time fail without asking again: a provider in trouble is not flooded. */
const FAILURE_MS = 1_000;
/** More credentials than an operator has; beyond them the oldest is forgotten, and exchanged again when it is needed. */
const MAX_KEYS = 256;

/**
 * The wall clock decides, not `performance.now()`: that one may stand still while a function is frozen, and the token's life
 * goes on.
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
        // It still holds for a little while, and the next request tries again.
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

/** The token in a request's headers. */
export function bearerOf(headers: OutgoingRequest['headers']): string {
  return (headers['authorization'] ?? '').replace('Bearer ', '');
}

/** An answer's JSON; undefined for anything else. */
export function readTokenAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
