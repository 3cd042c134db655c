import { describe, expect, it } from 'vitest';
import type { ModelOffer } from '../../lambdas/api/models/offer.ts';
import { sortedOffers, type SpeedOf } from '../../lambdas/api/models/sort.ts';
import { Money } from '../../lambdas/money/money.ts';

interface Facts {
  created?: string;
  context?: number;
  prompt?: string;
  completion?: string;
  request?: string;
  song?: string;
  video?: object;
}

function offer(id: string, facts: Facts = {}): ModelOffer {
  const { created = '2026-01-01', context, prompt = '0', completion = '0', request, song, video } = facts;
  const pricing = {
    prompt: Money.parse(prompt),
    completion: Money.parse(completion),
    ...(request ? { request: Money.parse(request) } : {}),
    ...(song ? { song: Money.parse(song) } : {}),
  };
  return { model: { id, data: { created, context_length: context, video } }, endpoints: [{ id, pricing }] } as never;
}

const idsOf = (offers: ModelOffer[]) => offers.map(({ model }) => model.id);

describe('a list of models is in the order', () => {
  it.each([
    ['of the catalog by default', undefined, [offer('b'), offer('a')], ['b', 'a']],
    [
      'of their release, the newest first, those of one day as in the catalog',
      'newest',
      [offer('old', { created: '2025-12-31' }), offer('b'), offer('new', { created: '2026-01-02' }), offer('a')],
      ['new', 'b', 'a', 'old'],
    ],
    [
      'of the cost of a usual request, with its fee',
      'pricing-low-to-high',
      [
        offer('fee', { prompt: '0.0001', request: '1' }),
        offer('answers', { completion: '0.0004' }),
        offer('prompts', { prompt: '0.0001' }),
      ],
      ['prompts', 'answers', 'fee'],
    ],
    [
      'of prices that differ in the last digit',
      'pricing-low-to-high',
      [offer('more', { prompt: '1000000.000000000001' }), offer('less', { prompt: '1000000' })],
      ['less', 'more'],
    ],
    [
      'of prices, the highest first, models without a token price last',
      'pricing-high-to-low',
      [offer('film', { video: {} }), offer('cheap', { prompt: '1' }), offer('dear', { prompt: '2' })],
      ['dear', 'cheap', 'film'],
    ],
    [
      'of prices, the lowest first, models without a token price last',
      'pricing-low-to-high',
      [offer('film', { video: {} }), offer('dear', { prompt: '2' }), offer('free')],
      ['free', 'dear', 'film'],
    ],
    [
      'of prices, a song among them',
      'pricing-low-to-high',
      [
        offer('song', { song: '8' }),
        offer('dear', { prompt: '1' }),
        offer('cheap', { prompt: '0.001' }),
        offer('free'),
      ],
      ['free', 'cheap', 'song', 'dear'],
    ],
    [
      'of contexts, the longest first, unknown ones last',
      'context-high-to-low',
      [offer('unknown'), offer('short', { context: 1 }), offer('long', { context: 2 })],
      ['long', 'short', 'unknown'],
    ],
  ] as const)('%s', (_, sort, offers, expected) => {
    expect(idsOf(sortedOffers(offers, sort))).toEqual(expected);
  });
});

const median = (p50: number) => ({ p50, p75: p50, p90: p50, p99: p50 });

describe('sort orders by speed', () => {
  const speeds: Record<string, ReturnType<SpeedOf>> = {
    slow: { throughput: median(10), latencyMs: median(900) },
    quick: { throughput: median(90), latencyMs: median(300) },
    partly: { throughput: null, latencyMs: median(500) },
  };
  const speedOf: SpeedOf = (id) => speeds[id];
  const offers = ['unmeasured', 'slow', 'partly', 'quick'].map((id) => offer(id));

  it.each([
    ['throughput-high-to-low', ['quick', 'slow', 'unmeasured', 'partly']],
    ['latency-low-to-high', ['quick', 'partly', 'slow', 'unmeasured']],
  ] as const)('put measured models first: %s', (sort, expected) => {
    expect(idsOf(sortedOffers(offers, sort, speedOf))).toEqual(expected);
  });

  it.each(['throughput-high-to-low', 'latency-low-to-high'] as const)(
    'are refused without measurements: %s',
    (sort) => {
      expect(() => sortedOffers(offers, sort)).toThrow(
        expect.objectContaining({
          status: 400,
          message: expect.stringMatching(/^sort: .*use one of newest, .*context-high-to-low$/) as string,
        }) as Error,
      );
    },
  );
});
