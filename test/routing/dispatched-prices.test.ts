import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chargeForMeasured } from '../../lambdas/accounting/charge.ts';
import { UsageMeter } from '../../lambdas/accounting/meter.ts';
import { AttemptLog } from '../../lambdas/inference/attempt-log.ts';
import { withFailover } from '../../lambdas/inference/failover.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';
import { ProviderTime } from '../../lambdas/platform/provider-time.ts';
import { UpstreamError } from '../../lambdas/providers/http/upstream-error.ts';
import { changedPricing, fixPrices, heldPricesOf, withRequestPrice } from '../../lambdas/routing/dispatched-prices.ts';
import { candidateAt } from '../support/candidate.ts';

const CHANGE_MS = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;
const before: Pricing = { prompt: Money.parse('1'), completion: Money.parse('2') };
const after: Pricing = { prompt: Money.parse('2'), completion: Money.parse('4') };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

function admittedAt(atMs: number, later: typeof after | null = after) {
  vi.setSystemTime(atMs);
  const pricing = atMs < CHANGE_MS ? before : after;
  const candidate = { ...candidateAt('https://acme.example'), pricing };
  const periods = [
    { fromMs: -Infinity, untilMs: CHANGE_MS, pricing: before, serviceCost: undefined },
    { fromMs: CHANGE_MS, untilMs: Infinity, pricing: later ?? undefined, serviceCost: undefined },
  ];
  const endpoint = { ...candidate.endpoint, pricing, periods };
  return { ...candidate, endpoint, held: heldPricesOf(endpoint) };
}

const inTurn = () => ({
  signal: new AbortController().signal,
  log: new AttemptLog(new ProviderTime()),
  requestId: 'req_1',
  health: { record: () => undefined, publish: () => Promise.resolve() },
});
const offered = (candidates: ReturnType<typeof admittedAt>[]) =>
  candidates.map((candidate, index) => ({ index, candidate, hasHiddenReasoning: false }));

describe('the hold of a request', () => {
  it.each([
    ['a quarter of an hour before', CHANGE_MS - 15 * MINUTE_MS, '1'],
    ['a millisecond later', CHANGE_MS - 15 * MINUTE_MS + 1, '2'],
    ['a millisecond before the change', CHANGE_MS - 1, '2'],
    ['at the change', CHANGE_MS, '2'],
  ])('that is admitted %s has the highest possible price', (_, atMs, prompt) => {
    expect(admittedAt(atMs).held.pricing.prompt.toString()).toBe(prompt);
  });
});

describe('a price that follows from the request', () => {
  const image = Money.parse('3.5');

  it('is held and charged, before and after a change of the other prices', () => {
    const candidate = withRequestPrice(admittedAt(CHANGE_MS - 1), 'output_image', image);
    vi.setSystemTime(CHANGE_MS);
    const held = candidate.held.pricing;
    fixPrices(candidate);
    expect([held.output_image, candidate.pricing.output_image]).toEqual([image, image]);
    expect(candidate.pricing.prompt).toBe(after.prompt);
  });

  it('does not by itself mark the prices as changed', () => {
    const candidate = withRequestPrice(admittedAt(CHANGE_MS - 1), 'output_image', image);
    fixPrices(candidate);
    expect(candidate.isRepriced).toBe(false);
  });
});

describe('the price of a request', () => {
  it.each([
    ['a millisecond before the change', CHANGE_MS - 1, before, undefined],
    ['at the change', CHANGE_MS, after, after],
  ])('that was admitted before the change, and sent %s', async (_, sentMs, expected, recorded) => {
    const candidate = admittedAt(CHANGE_MS - 1_000);
    const { prompt } = await withFailover(
      offered([candidate]),
      () => Promise.resolve(candidate.pricing),
      (vi.setSystemTime(sentMs), inTurn()),
    );
    expect([prompt, candidate.pricing, changedPricing(candidate, true)]).toEqual([expected.prompt, expected, recorded]);
  });

  it('stays the same while an answer continues over the change, in all its requests', () => {
    const candidate = admittedAt(CHANGE_MS - 2);
    vi.setSystemTime(CHANGE_MS - 1);
    fixPrices(candidate);
    vi.setSystemTime(CHANGE_MS + MINUTE_MS);
    fixPrices(candidate);
    const meter = new UsageMeter({ estimatedInputTokens: 1, promptCountedAtStart: false });
    meter.addReported({ input_tokens: 10, output_tokens: 5 });
    const bound = { promptTokens: 100, outputTokens: 100, cacheWrites: 'none' as const };

    expect(chargeForMeasured(meter, { pricing: candidate.pricing, bound }, 'usage', undefined).cost.toString()).toBe(
      '20',
    );
    expect(candidate.held.pricing).toBe(before);
  });

  it('is that of the second endpoint’s own moment if the first endpoint failed before the change', async () => {
    const candidates = [admittedAt(CHANGE_MS - 1), admittedAt(CHANGE_MS - 1)];
    await withFailover(
      offered(candidates),
      ({ index }) => {
        if (index === 1) return Promise.resolve('answer');
        vi.setSystemTime(CHANGE_MS);
        throw new UpstreamError('connect', 'The provider is down');
      },
      inTurn(),
    );
    expect(candidates.map(({ pricing }) => pricing)).toEqual([before, after]);
    expect(changedPricing(candidates[1]!, false)).toBe(after);
  });

  it('is that of the admission if no price is in force when it is sent', () => {
    const candidate = admittedAt(CHANGE_MS - 1, null);
    vi.setSystemTime(CHANGE_MS);
    fixPrices(candidate);
    expect([candidate.pricing, changedPricing(candidate, true)]).toEqual([before, undefined]);
  });
});
