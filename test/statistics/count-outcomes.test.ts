import { describe, expect, inject, it, vi } from 'vitest';
import { uuidv7 } from '../../lambdas/platform/ids.ts';
import { bySlot, countOutcomes, type Ended } from '../../lambdas/statistics/count-outcomes.ts';
import { bucketOf } from '../../lambdas/statistics/histogram.ts';
import { readSlot, SLOT_MS } from '../../lambdas/store/statistics/endpoint-slots.ts';
import type { Outcome } from '../../lambdas/store/generations/outcome.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { outcome, rub } from '../support/spending.ts';
import { newTable } from '../support/table.ts';
import { isEndedWithin } from '../support/in-time.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 7);
const SLOT = Date.UTC(2026, 10, 20, 12, 5);
const ID = 'test/endpoint';

const ended = (more: Partial<Ended['outcome']> = {}, beganMs = NOW - 1_000): Ended => ({
  generationId: `gen-${uuidv7(beganMs)}`,
  outcome: { ...outcome(rub('1')), latencyMs: 300, generationTimeMs: 500, completionTokens: 40, ...more },
});

const counted = (...all: Ended[]) =>
  Object.fromEntries(
    bySlot(all, NOW).map(([{ endpointId }, { requests, failures }]) => [endpointId, [requests, failures]]),
  );

describe('the count of an answer by its ending', () => {
  it.each<[Outcome['ending'], Partial<Outcome>, number[] | undefined]>([
    ['complete', {}, [1, 0]],
    ['out_of_money', {}, [1, 0]],
    ['client_left', {}, [1, 0]],
    ['client_left', { latencyMs: null, generationTimeMs: null }, undefined],
    ['out_of_time', {}, [1, 0]],
    ['out_of_time', { latencyMs: null, generationTimeMs: null }, undefined],
    ['broke_off', {}, [1, 1]],
    ['refused_before', { latencyMs: null, generationTimeMs: null, providerStatus: 503 }, [1, 1]],
    ['refused_before', { latencyMs: null, generationTimeMs: null, providerStatus: null }, [1, 1]],
    ['refused_before', { latencyMs: null, generationTimeMs: null, providerStatus: 400 }, undefined],
    // Moderation rejects a prompt with 403, and Anthropic an account without credit with 400.
    [
      'refused_before',
      { latencyMs: null, generationTimeMs: null, providerStatus: 403, failures: ['invalid_request'] },
      undefined,
    ],
    [
      'refused_before',
      { latencyMs: null, generationTimeMs: null, providerStatus: 400, failures: ['permission_denied'] },
      [1, 1],
    ],
  ])('for %s %j is as documented', (ending, more, sums) => {
    expect(counted(ended({ ending, ...more }))[ID]).toEqual(sums);
  });
});

const attempt = (endpointId: string, status: number | null) => ({
  endpointId,
  modelPermaslug: 'test/model-1',
  providerName: 'Test',
  status,
  durationMs: 100,
});

describe('the count of attempts', () => {
  it('includes the failed attempts before the attempt that answered', () => {
    const failedAttempts = [attempt('first', 529), attempt('second', null)];
    expect(counted(ended({ failedAttempts }))).toEqual({ first: [1, 1], second: [1, 1], [ID]: [1, 0] });
  });

  it.each([400, 413, 422, 429])('excludes attempts with status %s', (status) => {
    expect(counted(ended({ failedAttempts: [attempt('first', status)] }))).toEqual({ [ID]: [1, 0] });
  });

  it('is decided by the kind of each failure, whatever its status is', () => {
    const failedAttempts = [attempt('first', 429), attempt('second', 403), attempt('third', 500)];
    const failures = ['permission_denied', 'context_length_exceeded', 'provider_unavailable'];
    expect(counted(ended({ failedAttempts, failures }))).toEqual({ first: [1, 1], third: [1, 1], [ID]: [1, 0] });
  });

  it('includes all attempts if none answered', () => {
    const none = { ending: 'refused_before', latencyMs: null, generationTimeMs: null, providerStatus: 503 } as const;
    const failedAttempts = [attempt('first', 500)];
    expect(counted(ended({ ...none, failedAttempts }))).toEqual({ first: [1, 1], [ID]: [1, 1] });
  });

  it('excludes an attempt that was cancelled because the client disconnected', () => {
    const left = { ending: 'client_left', latencyMs: null, generationTimeMs: null, providerStatus: null } as const;
    const failedAttempts = [attempt('first', 500)];
    expect(counted(ended({ ...left, failedAttempts }))).toEqual({ first: [1, 1] });
  });

  it('does not add the time of failed attempts to the latency of the attempt that answered', () => {
    const failedAttempts = [attempt('first', 500)];
    const [, { latencyMs }] = bySlot([ended({ failedAttempts })], NOW)[1]!;
    expect(latencyMs).toEqual(new Map([[bucketOf(200), 1]]));
  });
});

const throughput = (more: Partial<Outcome>) => [...bySlot([ended(more)], NOW)[0]![1].throughput];

describe('the measured speed', () => {
  it('includes complete answers', () => {
    expect(throughput({})).toEqual([[bucketOf(80), 1]]);
  });

  it.each<[string, Partial<Outcome>]>([
    ['without reported tokens', { estimated: true }],
    ['that broke off', { ending: 'broke_off' }],
    ['of a few tokens', { completionTokens: 19 }],
    ['that came as one document', { generationTimeMs: 2 }],
    ['without a time', { generationTimeMs: null }],
  ])('excludes answers %s', (_which, more) => {
    expect(throughput(more)).toEqual([]);
  });
});

const slotOf = (one: Ended) => bySlot([one], NOW)[0]![0].slotMs;

describe('the five-minute slot of an answer', () => {
  it('is that of its end, however late it is settled', () => {
    const long = ended({ latencyMs: 1_000, generationTimeMs: 4 * 60_000 }, NOW - 3 * 3_600_000);
    expect(slotOf(long)).toBe(SLOT - 3 * 3_600_000 + 5 * 60_000);
  });

  it('is never in the future', () => {
    expect(slotOf(ended({ generationTimeMs: 1e12 }))).toBe(SLOT);
  });

  it('is none if the answer ended more than a day ago', () => {
    expect(bySlot([ended({}, NOW - 25 * 3_600_000)], NOW)).toEqual([]);
  });

  it('has one sum per endpoint for a whole batch', () => {
    const batch = [ended(), ended(), ended({ ending: 'broke_off' }), ended({ endpointId: 'other' })];
    expect(bySlot(batch, NOW)).toHaveLength(2);
    expect(counted(...batch)).toEqual({ [ID]: [3, 1], other: [1, 0] });
  });
});

describe('a table that refuses counts', () => {
  it.each(['refuses', 'is silent'])(
    'fails no settlement, and delays it by less than 1.8 s, when it %s',
    async (how) => {
      const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const proxy = await startFaultProxy(inject('dynamodbEndpoint'));
      const table = await newTable(proxy.endpoint);
      if (how === 'refuses') proxy.faultFor = () => 'throttle';
      else proxy.before = () => new Promise(() => {});

      const counting = countOutcomes(table, [ended({}, Date.now()), ended({ endpointId: 'other' }, Date.now())]);

      expect(await isEndedWithin(1_800, counting)).toBe(true);
      await counting;
      expect(logged.mock.calls.map(([line]) => String(line))).toEqual([
        expect.stringContaining('statistics of endpoints not counted'),
      ]);
      logged.mockRestore();
      await proxy.stop();
    },
  );
});

it('a process counts over several partition keys, so that no key limits the settlements of all workers', async () => {
  const table = await newTable();
  const atMs = Date.now();
  for (let batch = 0; batch < 30; batch += 1) await countOutcomes(table, [ended({}, atMs - 1_000)]);

  const slots = await Promise.all(
    [atMs - SLOT_MS, atMs].map((ms) => readSlot(table, Math.floor(ms / SLOT_MS) * SLOT_MS)),
  );
  const counts = slots.flat().map(([, { requests }]) => requests);
  expect(counts.length).toBeGreaterThan(4);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
});
