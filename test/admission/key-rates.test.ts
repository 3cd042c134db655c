import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { releaseUnknown } from '../../lambdas/accounting/release.ts';
import { settleBatch } from '../../lambdas/accounting/settle.ts';
import { sweepHolds } from '../../lambdas/accounting/sweep.ts';
import { placeHold, type HoldRequest, type HoldResult } from '../../lambdas/admission/hold.ts';
import { rateRefusalError } from '../../lambdas/admission/rates/rate-refusal.ts';
import { ratePartsOf, rateShareOf, type RateLimits } from '../../lambdas/admission/rates/rate-limits.ts';
import { MINUTE_LENGTH_MS, minuteStart, rateKinds } from '../../lambdas/store/counters/key-rates.ts';
import { emptyOutcome } from '../../lambdas/store/generations/outcome.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { countedOf, fillParts, limitsOn, nextMinute, ratedRequest } from '../support/key-rates.ts';
import { eagerLeases, placed, settleOne } from '../support/leasing.ts';
import { books, newSpender, rub, settledEverywhere, type Spender } from '../support/spending.ts';
import { newTable } from '../support/table.ts';

let table: Table;
let atMs: number;
beforeAll(async () => {
  table = await newTable();
  atMs = nextMinute();
});

const isPlaced = (result: HoldResult) => 'placed' in result;
const refusalsOf = (results: HoldResult[]) =>
  results.flatMap((result) => ('refused' in result ? [result.refused] : []));

/** Sends requests at the same time, and returns their results. */
function atOnce(
  spender: Spender,
  limits: RateLimits,
  { count = 300, tokens = 30, leases = [undefined] as (ReturnType<typeof eagerLeases> | undefined)[] } = {},
): Promise<HoldResult[]> {
  const requests = Array.from({ length: count }, () => ratedRequest(spender, limits, { tokens, atMs }));
  return Promise.all(
    requests.map((request, index) => placeHold(table, request, { leases: leases[index % leases.length] })),
  );
}

describe('limits on the requests of a key', () => {
  it.each([
    ['requests', limitsOn({ requests: 100 }), { requests: 100, tokens: 0, running: 0 }],
    ['tokens', limitsOn({ tokens: 3_000 }), { requests: 100, tokens: 3_000, running: 0 }],
    ['parallel', limitsOn({ parallel: 60 }), { requests: 0, tokens: 0, running: 60 }],
    [
      'parallel',
      limitsOn({ requests: 200, tokens: 4_000, parallel: 50 }),
      { requests: 50, tokens: 1_500, running: 50 },
    ],
  ])('admit exactly as many of 300 concurrent requests as the limit allows: %s', async (limited, limits, counted) => {
    const spender = await newSpender(table, { key: { daily: rub('100') } });

    const results = await atOnce(spender, limits);

    const admitted = Math.max(counted.requests, counted.running);
    expect(results.filter(isPlaced)).toHaveLength(admitted);
    const kinds = new Set(
      refusalsOf(results).map((refusal) => ('limited' in refusal ? refusal.limited : refusal.kind)),
    );
    expect([...kinds]).toEqual([limited]);
    expect(await countedOf(table, spender, limits, atMs)).toEqual(counted);
    const held = String(rub('0.01').times(admitted));
    expect((await books(table, spender, atMs)).key).toEqual(settledEverywhere('0', held));
  });

  it.each([
    ['minute', limitsOn({ requests: 2_000 }), { requests: 190 }],
    ['minute', limitsOn({ requests: 24_000, tokens: 40_000_000 }), { requests: 1, tokens: 4_000_000 - 300 }],
    ['running', limitsOn({ parallel: 160 }), { running: 6 }],
  ] as const)('admit exactly the limit if it is divided over parts: %s', async (kind, limits, counts) => {
    const spender = await newSpender(table, {});
    await fillParts(table, spender, limits, { kind, atMs, counts });

    const results = await atOnce(spender, limits);

    expect(ratePartsOf(limits, kind)).toBe(10);
    expect(results.filter(isPlaced)).toHaveLength(100);
  });

  it('admit exactly the limit in two servers with leases', async () => {
    const spender = await newSpender(table, { key: { daily: rub('1000') } });
    const limits = limitsOn({ requests: 80, parallel: 70 });
    const leases = [eagerLeases(), eagerLeases()];

    const results = await atOnce(spender, limits, { leases });

    expect(results.filter(isPlaced)).toHaveLength(70);
    await Promise.all(leases.map((one) => one.returnAll()));
    expect(await countedOf(table, spender, limits, atMs)).toEqual({ requests: 70, tokens: 0, running: 70 });
  });

  it('do not count a request that another of them refuses', async () => {
    const spender = await newSpender(table, {});
    const limits = limitsOn({ requests: 1, parallel: 1 });
    const later = atMs + MINUTE_LENGTH_MS;
    const first = ratedRequest(spender, limits, { atMs });
    placed(await placeHold(table, first));

    // The first request still runs in the next minute.
    const second = await placeHold(table, ratedRequest(spender, limits, { atMs: later }));
    expect(second).toMatchObject({ refused: { kind: 'rate', limited: 'parallel', most: 1 } });

    await settleOne(table, first, '0.01');
    placed(await placeHold(table, ratedRequest(spender, limits, { atMs: later })));
  });

  it('do not count a request that a spending limit refuses, and a request that they refuse holds no money', async () => {
    const spender = await newSpender(table, { key: { daily: rub('0.015') } });
    const limits = limitsOn({ requests: 2 });
    placed(await placeHold(table, ratedRequest(spender, limits, { atMs })));

    expect(await placeHold(table, ratedRequest(spender, limits, { atMs }))).toMatchObject({
      refused: { kind: 'no_room' },
    });
    expect(await countedOf(table, spender, limits, atMs)).toMatchObject({ requests: 1 });

    const limited = await newSpender(table, { key: { daily: rub('100') } });
    const one = limitsOn({ requests: 1 });
    placed(await placeHold(table, ratedRequest(limited, one, { atMs })));
    expect(await placeHold(table, ratedRequest(limited, one, { atMs }))).toMatchObject({ refused: { kind: 'rate' } });
    expect((await books(table, limited, atMs)).key).toEqual(settledEverywhere('0', '0.01'));
  });

  it('admit a request with more tokens than the whole limit only alone in its minute', async () => {
    const spender = await newSpender(table, {});
    const limits = limitsOn({ tokens: 100 });
    const large = () => ratedRequest(spender, limits, { tokens: 5_000, atMs });

    placed(await placeHold(table, large()));
    expect(await placeHold(table, large())).toMatchObject({ refused: { kind: 'rate', limited: 'tokens', most: 100 } });
    placed(await placeHold(table, ratedRequest(spender, limits, { tokens: 5_000, atMs: atMs + MINUTE_LENGTH_MS })));
  });

  it('have parts whose limits add up to the limit', () => {
    for (const limit of [1, 5, 1_201, 77_777, 1_000_000]) {
      for (const kind of rateKinds) {
        const limits = limitsOn({ requests: limit, tokens: limit * 7, parallel: limit });
        const shares = Array.from({ length: ratePartsOf(limits, kind) }, (_, part) => rateShareOf(limits, kind, part));
        const sum = (name: 'requests' | 'tokens' | 'running') =>
          shares.reduce((total, share) => total + (share[name] ?? 0), 0);
        expect([sum('requests') + sum('running'), sum('tokens')]).toEqual([limit, kind === 'minute' ? limit * 7 : 0]);
      }
    }
  });

  it('refuse with 429, the limit, and the time to wait', () => {
    const startMs = minuteStart(Date.now());
    const endsAtMs = startMs + MINUTE_LENGTH_MS;
    const refusal = { kind: 'rate', most: 5, atMs: startMs, endsAtMs } as const;
    const [requests, parallel] = (['requests', 'parallel'] as const).map((limited) =>
      rateRefusalError({ ...refusal, limited }),
    );

    expect(requests).toMatchObject({
      status: 429,
      kind: 'rate_limit_exceeded',
      metadata: { limit_source: 'key_requests_per_minute', limit: 5, resets_at: new Date(endsAtMs).toISOString() },
    });
    expect(Number(requests!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(requests!.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(parallel).toMatchObject({
      metadata: { limit_source: 'key_parallel_requests', limit: 5 },
      headers: { 'retry-after': '1' },
    });
  });
});

describe('a counted request', () => {
  beforeEach(() => {
    atMs = nextMinute();
  });

  const limits = limitsOn({ requests: 10, tokens: 1_000, parallel: 10 });
  const counted = (spender: Spender) => countedOf(table, spender, limits, atMs);

  async function running(bootId?: string): Promise<{ spender: Spender; request: HoldRequest }> {
    const spender = await newSpender(table, {});
    const request = ratedRequest(spender, limits, { tokens: 400, atMs, bootId });
    placed(await placeHold(table, request));
    expect(await counted(spender)).toEqual({ requests: 1, tokens: 400, running: 1 });
    return { spender, request };
  }

  it('counts with its real tokens after its settlement, and no longer runs', async () => {
    const { spender, request } = await running();
    await settleOne(table, request, '0.01');
    expect(await counted(spender)).toEqual({ requests: 1, tokens: 30, running: 0 });
  });

  it('ends once, however often it is settled', async () => {
    const { spender, request } = await running();
    await settleOne(table, request, '0.01');
    await expect(settleOne(table, request, '0.01')).rejects.toThrow('duplicate');
    expect(await counted(spender)).toEqual({ requests: 1, tokens: 30, running: 0 });
  });

  it('ends with others of its key in one batch', async () => {
    const spender = await newSpender(table, {});
    const requests = Array.from({ length: 5 }, () => ratedRequest(spender, limits, { tokens: 100, atMs }));
    const holds = await Promise.all(requests.map(async (request) => placed(await placeHold(table, request)).hold));
    const outcomes = requests.map(({ generation: { id, payer } }, index) => {
      const { model, modelPermaslug, endpointId, providerName } = requests[index]!.generation;
      const of = { model, modelPermaslug, endpointId, providerName };
      return { generationId: id, payer, hold: holds[index]!, outcome: { ...emptyOutcome(of), promptTokens: 7 } };
    });

    expect(await settleBatch(table, outcomes, { swept: false })).toEqual(Array(5).fill('settled'));
    expect(await counted(spender)).toEqual({ requests: 5, tokens: 35, running: 0 });
  });

  it('ends when a sweep finds that its process has died', async () => {
    const { spender } = await running('dead');
    await sweepHolds(table, { nowMs: Date.now(), backlog: 'none', deadBootIds: ['dead'] });
    expect(await counted(spender)).toMatchObject({ running: 0 });
  });

  it('ends when its hold is released because its reply was lost', async () => {
    const { spender, request } = await running();
    expect(await releaseUnknown(table, request.generation)).toBe(true);
    expect(await counted(spender)).toEqual({ requests: 1, tokens: 0, running: 0 });
  });

  it('is found again, with its counts, by an attempt after a lost reply', async () => {
    const { spender, request } = await running();
    const again = placed(await placeHold(table, request));
    expect(again.hold.rateHolds.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['minute', 400],
      ['running', 0],
    ]);
    expect(await counted(spender)).toEqual({ requests: 1, tokens: 400, running: 1 });
  });
});
