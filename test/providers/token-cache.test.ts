import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tokenCache, type TokenCache } from '../../lambdas/providers/authorization/token-cache.ts';

const LIFETIME_MS = 30 * 60_000;
const MARGIN_MS = 60_000;
const FAILURE_MS = 1_000;

/** Returns an exchange of tokens, which returns t1, t2, …, or fails while `isAway` is set. */
const exchanges = () => {
  const state = { count: 0, isAway: false };
  const exchange = async () => {
    state.count += 1;
    await Promise.resolve();
    if (state.isAway) throw new Error(`away ${state.count}`);
    return { token: `t${state.count}`, expiresAtMs: Date.now() + LIFETIME_MS };
  };
  return { state, exchange };
};

let cache: TokenCache;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  cache = tokenCache();
});
afterEach(() => void vi.useRealTimers());

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe('a cached access token', () => {
  it('is exchanged once for concurrent requests', async () => {
    const { state, exchange } = exchanges();

    const tokens = await Promise.all(Array.from({ length: 50 }, () => cache.get('a', exchange)));

    expect([new Set(tokens), state.count]).toEqual([new Set(['t1']), 1]);
  });

  it('is kept until shortly before it expires', async () => {
    const { exchange } = exchanges();
    await cache.get('a', exchange);

    later(LIFETIME_MS - MARGIN_MS - 1);
    expect(await cache.get('a', exchange)).toBe('t1');
    later(1);
    expect(await cache.get('a', exchange)).toBe('t2');
  });

  it('belongs to its key', async () => {
    const { exchange } = exchanges();

    expect([await cache.get('a', exchange), await cache.get('b', exchange)]).toEqual(['t1', 't2']);
  });

  it('is exchanged again after the provider refused it', async () => {
    const { exchange } = exchanges();
    cache.drop('a', await cache.get('a', exchange));

    expect(await cache.get('a', exchange)).toBe('t2');
  });

  it('stays if a request with an older token is refused', async () => {
    const { exchange } = exchanges();
    const old = await cache.get('a', exchange);
    cache.drop('a', old);
    await cache.get('a', exchange);

    cache.drop('a', old);

    expect(await cache.get('a', exchange)).toBe('t2');
  });

  it('is kept for at most a day', async () => {
    const { exchange } = exchanges();
    await cache.get('a', async () => ({ token: 'for ever', expiresAtMs: Number.MAX_SAFE_INTEGER }));

    later(24 * 60 * 60_000);

    expect(await cache.get('a', exchange)).toBe('t1');
  });

  it('of the oldest key is dropped if there are very many', async () => {
    const { exchange } = exchanges();
    await cache.get('first', exchange);
    for (let index = 0; index < 256; index += 1) await cache.get(`key ${index}`, exchange);

    expect(await cache.get('first', exchange)).toBe('t258');
  });
});

describe('a failed token exchange', () => {
  it('fails all waiting requests', async () => {
    const { state, exchange } = exchanges();
    state.isAway = true;

    const results = await Promise.allSettled([cache.get('a', exchange), cache.get('a', exchange)]);

    expect([results.map(({ status }) => status), state.count]).toEqual([['rejected', 'rejected'], 1]);
  });

  it('is retried after a short time, not at once', async () => {
    const { state, exchange } = exchanges();
    state.isAway = true;
    await expect(cache.get('a', exchange)).rejects.toThrow('away 1');

    state.isAway = false;
    await expect(cache.get('a', exchange)).rejects.toThrow('away 1');
    later(FAILURE_MS);
    expect(await cache.get('a', exchange)).toBe('t2');
  });

  it('keeps a token that is still valid', async () => {
    const { state, exchange } = exchanges();
    await cache.get('a', exchange);
    state.isAway = true;

    later(LIFETIME_MS - 1);
    expect(await cache.get('a', exchange)).toBe('t1');
    later(1);
    await expect(cache.get('a', exchange)).rejects.toThrow('away');
  });
});
