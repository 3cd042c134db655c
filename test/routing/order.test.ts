import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../lambdas/catalog/catalog.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Percentiles } from '../../lambdas/catalog/endpoint-statistics.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { conversationOf } from '../../lambdas/routing/conversation.ts';
import { inOrder, type EndpointSignals } from '../../lambdas/routing/order.ts';
import { drawOf } from '../../lambdas/routing/sticky-routing.ts';
import type { Warmth } from '../../lambdas/routing/warm-prompt.ts';
import { quietSignals } from '../support/candidate.ts';

const drawFor = (request: MessagesRequest) => drawOf(conversationOf(request, {}).name);

it('a conversation keeps the name that the client gives to it in a field or a header', () => {
  const hello: MessagesRequest = { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }] };
  expect(conversationOf({ ...hello, session_id: 's' }, { 'x-session-id': 't' }).session).toBe('s');
  expect(conversationOf(hello, { 'x-claude-code-session-id': 't' }).session).toBe('t');
  expect(conversationOf(hello, {}).session).toBeUndefined();
});

interface Offer {
  id: string;
  prompt?: string;
  completion?: string;
  weight?: number;
}

const offered = ({ id, prompt = '0.001', completion = '0.002', weight }: Offer) => ({
  endpoint: {
    id,
    provider: { id: `${id}-inc`, name: `${id.toUpperCase()} Inc.` },
    pricing: { prompt: Money.parse(prompt), completion: Money.parse(completion) },
    data: { quantization: 'fp8', weight },
  } as unknown as Endpoint & { pricing: Pricing },
});

/** The second offer is the cheapest. */
const offers = [
  offered({ id: 'a', prompt: '0.003' }),
  offered({ id: 'b', prompt: '0.001' }),
  offered({ id: 'c', prompt: '0.002' }),
];

const all = (value: number): Percentiles => ({ p50: value, p75: value * 2, p90: value * 3, p99: value * 4 });
const failing = (...ids: string[]): EndpointSignals => ({ ...quietSignals, isFailing: (id) => ids.includes(id) });
const measured = (speeds: Record<string, { latency?: number; throughput?: number }>): EndpointSignals => ({
  ...quietSignals,
  speedOf: (id) => {
    const { latency, throughput } = speeds[id] ?? {};
    return { latencyMs: latency ? all(latency) : null, throughput: throughput ? all(throughput) : null };
  },
});
const idsOf = (items: { endpoint: Endpoint }[]) => items.map(({ endpoint: { id } }) => id).join('');

const cached = (id: string, prompt: string, read: string) => {
  const offer = offered({ id, prompt });
  return {
    endpoint: { ...offer.endpoint, pricing: { ...offer.endpoint.pricing, input_cache_read: Money.parse(read) } },
  };
};
const warmAt = (endpointId: string, tokens = 9_000): Warmth => ({
  prompt: { endpointId, tokens, outputTokens: 100, untilMs: 0 },
  promptTokens: 10_000,
});

describe('endpoints are tried', () => {
  it.each([
    ['the cheapest first without preferences', {}, quietSignals, 'bca'],
    ['the cheapest first with the preference price', { sort: 'price' }, quietSignals, 'bca'],
    ['failing endpoints last', {}, failing('b'), 'cab'],
    ['the cheapest first, when all of them fail', {}, failing('a', 'b', 'c'), 'bca'],
    ['in the order of the request, the others after them', { order: ['c-inc', 'a-inc'] }, quietSignals, 'cab'],
    ['in the order of the request, including failing endpoints', { order: ['a-inc'] }, failing('a'), 'abc'],
    ['by the name of a provider, in any case', { order: ['c inc.'] }, quietSignals, 'cba'],
    ['by the tag of an endpoint', { order: ['a-inc/fp8'] }, quietSignals, 'abc'],
    ['by the id of an endpoint', { order: ['c'] }, quietSignals, 'cba'],
    [
      'the fastest first, unmeasured endpoints last',
      { sort: 'latency' },
      measured({ a: { latency: 9 }, c: { latency: 5 } }),
      'cab',
    ],
    [
      'the one with most tokens a second first',
      { sort: 'throughput' },
      measured({ a: { throughput: 9 }, c: { throughput: 50 } }),
      'cab',
    ],
    [
      'failing endpoints last, however fast',
      { sort: 'latency' },
      { ...measured({ a: { latency: 1 } }), isFailing: (id: string) => id === 'a' },
      'bca',
    ],
    [
      'endpoints that are too slow after the others',
      { preferred_max_latency: 2 },
      measured({ b: { latency: 2_001 }, c: { latency: 2_000 } }),
      'cab',
    ],
    [
      'endpoints that are too slow in any named percentile after the others',
      { preferred_max_latency: { p99: 2 } },
      measured({ b: { latency: 501 }, c: { latency: 500 } }),
      'cab',
    ],
    [
      'endpoints with too few tokens per second after the others',
      { preferred_min_throughput: 50 },
      measured({ b: { throughput: 49 }, c: { throughput: 50 } }),
      'cab',
    ],
  ] as const)('%s', (_what, preferences, signals, expected) => {
    expect(idsOf(inOrder(offers, preferences, signals, anyDraw))).toBe(expected);
  });

  it('by their weight, if they have the same price', () => {
    const same = [offered({ id: 'a' }), offered({ id: 'b', weight: 3 }), offered({ id: 'c', prompt: '0.5' })];
    const counts = { a: 0, b: 0, c: 0 };
    for (let conversation = 0; conversation < 4_000; conversation += 1) {
      const draw = drawFor(requestOf(`Question ${conversation}`));
      counts[idsOf(inOrder(same, {}, quietSignals, draw))[0] as 'a' | 'b' | 'c'] += 1;
    }

    // The expected ratio is 1 : 3, with a standard deviation of 27; the most expensive offer is never chosen.
    expect([Math.abs(counts.a - 1_000) < 140, counts.c]).toEqual([true, 0]);
  });

  it('in the same order in every turn of a conversation', () => {
    const same = ['a', 'b', 'c', 'd'].map((id) => offered({ id }));
    const first = requestOf('Hello');
    const later = {
      ...first,
      messages: [
        ...first.messages,
        { role: 'assistant' as const, content: 'Hi' },
        { role: 'user' as const, content: 'And?' },
      ],
    };

    expect(idsOf(inOrder(same, {}, quietSignals, drawFor(later)))).toBe(
      idsOf(inOrder(same, {}, quietSignals, drawFor(first))),
    );
  });

  it('in another order for each user with the same beginning of a conversation', () => {
    const same = ['a', 'b', 'c', 'd'].map((id) => offered({ id }));
    const orders = Array.from({ length: 50 }, (_, user) =>
      idsOf(inOrder(same, {}, quietSignals, drawFor({ ...requestOf('Hello'), metadata: { user_id: `user-${user}` } }))),
    );

    expect(new Set(orders.map((order) => order[0])).size).toBe(4);
  });

  it('in the order of the catalog if a usual request costs the same at different prices', () => {
    const alike = [
      offered({ id: 'a', prompt: '0.001', completion: '0.003' }),
      offered({ id: 'b', prompt: '0.002', completion: '0' }),
    ];

    const orders = Array.from({ length: 50 }, (_, turn) =>
      idsOf(inOrder(alike, {}, quietSignals, drawFor(requestOf(`${turn}`)))),
    );

    expect(new Set(orders)).toEqual(new Set(['ab']));
  });

  describe('first where the conversation is cached', () => {
    const three = [cached('a', '0.001', '0.0001'), cached('b', '0.002', '0.0002'), cached('c', '0.03', '0.003')];
    it.each([
      // The warm offer costs 9,000 tokens at 0.0002 and 1,000 at 0.002; the other costs 10,000 at 0.001.
      ['while that costs less than to read all of it anew', {}, quietSignals, warmAt('b'), 'bac'],
      ['unless another reads all of it anew for less', {}, quietSignals, warmAt('c'), 'abc'],
      ['unless too little of it is cached', {}, quietSignals, warmAt('b', 5_000), 'abc'],
      ['when it sorts by price', { sort: 'price' }, quietSignals, warmAt('b'), 'bac'],
      ['when another is quicker', { sort: 'latency' }, measured({ a: { latency: 1 } }), warmAt('b'), 'bac'],
      ['before failing endpoints', {}, failing('a'), warmAt('b'), 'bca'],
      ['but after the others while it fails', {}, failing('b'), warmAt('b'), 'acb'],
      ['but after equally failing endpoints that cost less', {}, failing('a', 'b'), warmAt('b', 0), 'cab'],
      ['but after endpoints that the request names', { order: ['c'] }, quietSignals, warmAt('b'), 'cba'],
      ['also if the request names it', { order: ['c', 'b'] }, quietSignals, warmAt('b'), 'cba'],
      [
        'but after endpoints that are fast enough',
        { preferred_max_latency: 2 },
        measured({ b: { latency: 9_000 } }),
        warmAt('b'),
        'acb',
      ],
      ['but nowhere without an endpoint of that id', {}, quietSignals, warmAt('gone'), 'abc'],
    ] as const)('%s', (_what, preferences, signals, warmth, expected) => {
      expect(idsOf(inOrder(three, preferences, signals, anyDraw, warmth))).toBe(expected);
    });
  });

  it('in the same order in every turn of a session, however its prompt is rewritten', () => {
    const same = ['a', 'b', 'c', 'd'].map((id) => offered({ id }));
    const orders = Array.from({ length: 20 }, (_, turn) =>
      idsOf(inOrder(same, {}, quietSignals, drawFor({ ...requestOf(`Summary ${turn}`), session_id: 'session-7' }))),
    );

    expect(new Set(orders).size).toBe(1);
  });

  it('each once, for any preferences and measurements', () => {
    const wishes = fc.record(
      {
        order: fc.uniqueArray(fc.constantFrom('a', 'b-inc', 'c-inc/fp8', 'nobody')),
        sort: fc.constantFrom('price' as const, 'latency' as const, 'throughput' as const),
        preferred_max_latency: fc.oneof(fc.double({ min: 0.1, max: 5, noNaN: true }), fc.constant({ p90: 1 })),
      },
      { requiredKeys: [] },
    );
    const speeds = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.record({ latency: fc.nat(9_000) }));
    fc.assert(
      fc.property(wishes, speeds, fc.subarray(['a', 'b', 'c']), (preferences, speed, failed) => {
        const signals = { ...measured(speed), isFailing: (id: string) => failed.includes(id) };

        expect(
          idsOf(inOrder(offers, preferences, signals, anyDraw))
            .split('')
            .toSorted(),
        ).toEqual(['a', 'b', 'c']);
      }),
    );
  });
});

/** With different prices, the draw has no effect. */
const anyDraw = () => 1;

function requestOf(words: string): MessagesRequest {
  return { model: 'm', messages: [{ role: 'user', content: words }] };
}
