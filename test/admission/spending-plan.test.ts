import { describe, expect, it } from 'vitest';
import {
  affordableTokens,
  beyondMaxTokens,
  coveredTokens,
  minAmount,
  planSpending,
  shortened,
  shortest,
  type Quote,
} from '../../lambdas/admission/spending-plan.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { rub } from '../support/spending.ts';

const STEP = 100;
const cheap: Pricing = { prompt: rub('0.001'), completion: rub('0.002') };
const dear: Pricing = { prompt: rub('0.001'), completion: rub('0.005') };

/** Returns a quote whose prompt of at most 1000 tokens costs at most one rouble. */
const quote = (outputTokens: number, pricing = cheap, more: Partial<Quote> = {}): Quote => ({
  pricing,
  bound: { promptTokens: 1_000, outputTokens, cacheWrites: 'none', pricedImages: 0, searchRequests: 0 },
  hiddenReasoningTokens: 0,
  beyondMaxTokens: 0,
  ...more,
});

/** Returns a quote whose whole output may be hidden thinking. */
const unseen = (outputTokens: number, pricing = cheap, more: Partial<Quote> = {}) =>
  quote(outputTokens, pricing, { hiddenReasoningTokens: outputTokens, ...more });

const amounts = (...quotes: Quote[]) => {
  const { amount, inputAmount } = planSpending(quotes, STEP);
  return [amount.toString(), inputAmount.toString()];
};
const lengths = (plan: ReturnType<typeof shortened>) => plan?.quotes.map(({ bound }) => bound.outputTokens);

const shortenedTo = (room: string, ...quotes: Quote[]) => lengths(shortened(planSpending(quotes, STEP), rub(room)));

const affordable = (amount: string, ...quotes: Quote[]) => affordableTokens(planSpending(quotes, STEP), rub(amount));

describe('the first hold', () => {
  it('covers the prompt and one step of the answer', () => {
    expect(amounts(quote(5_000))).toEqual(['1.2', '1']);
  });

  it('covers at most the whole answer', () => {
    expect(amounts(quote(10))).toEqual(['1.02', '1']);
  });

  it('covers all hidden thinking, too', () => {
    expect(amounts(quote(5_000, cheap, { hiddenReasoningTokens: 2_000 }))).toEqual(['5.2', '1']);
    expect(amounts(unseen(5_000))).toEqual(['11', '1']);
  });

  it('covers the most expensive endpoint that may answer', () => {
    expect(amounts(quote(5_000), quote(5_000, dear))).toEqual(['1.5', '1']);
  });
});

const song = (promptPrice: string) => {
  const one = quote(5_000, { prompt: rub(promptPrice), completion: rub('0'), song: rub('8') });
  return { ...one, bound: { ...one.bound, songs: 1 } };
};

describe('pieces of the answer', () => {
  it('are held, but do not belong to the prompt', () => {
    expect(amounts(song('0'))).toEqual(['8', '0']);
    expect(amounts(song('0.001'))).toEqual(['9', '1']);
  });

  it('are part of the smallest cost of an answer', () => {
    expect(minAmount(planSpending([song('0.001')], STEP)).toString()).toBe('8');
  });

  it('are not images in the prompt', () => {
    const one = quote(5_000, { ...cheap, image: rub('3') });
    const pictured = { ...one, bound: { ...one.bound, pricedImages: 1 } };

    expect(amounts(pictured)).toEqual(['4.2', '4']);
    expect(minAmount(planSpending([pictured], STEP)).toString()).toBe('0.032');
  });
});

describe('a shorter answer', () => {
  it('is as long as the room allows', () => {
    expect(shortenedTo('3', unseen(5_000))).toEqual([1_000]);
  });

  it('is made only if some of the output may be hidden', () => {
    expect(shortenedTo('1.1', quote(5_000))).toBeUndefined();
  });

  it('is not made if the whole answer fits', () => {
    expect(shortenedTo('11', unseen(5_000))).toBeUndefined();
  });

  it('has at least one step', () => {
    expect(shortenedTo('1.2', unseen(5_000))).toEqual([STEP]);
    expect(shortenedTo('1.199', unseen(5_000))).toBeUndefined();
  });

  it('has at least one step in addition to thinking beyond max_tokens', () => {
    expect(shortenedTo('3', unseen(5_000, cheap, { beyondMaxTokens: 901 }))).toBeUndefined();
    expect(shortenedTo('3', unseen(5_000, cheap, { beyondMaxTokens: 900 }))).toEqual([1_000]);
  });

  it('is limited by the most expensive endpoint, and keeps shorter answers', () => {
    expect(shortenedTo('6', unseen(5_000), unseen(5_000, dear), quote(300))).toEqual([1_000, 1_000, 300]);
  });
});

describe('the smallest hold', () => {
  it('covers the prompt and one step, also with much hidden thinking', () => {
    const least = shortest(planSpending([unseen(5_000), quote(10)], STEP));

    expect([least.amount.toString(), lengths(least)]).toEqual(['1.2', [STEP, 10]]);
  });

  it('is not attempted if not even a few tokens of the cheapest answer could be paid', () => {
    expect(minAmount(planSpending([quote(5_000), quote(5_000, dear)], STEP)).toString()).toBe('0.032');
    expect(minAmount(planSpending([quote(4)], STEP)).toString()).toBe('0.008');
  });
});

describe('the longest answer for an amount', () => {
  it('is paid by the remainder after the prompt', () => {
    expect(affordable('1.5', quote(5_000))).toBe(250);
    expect(affordable('0.9', quote(5_000))).toBe(0);
  });

  it('is that of the most expensive endpoint with answers of that length', () => {
    expect(affordable('1.5', quote(5_000), quote(5_000, dear))).toBe(100);
    expect(affordable('1.5', quote(5_000), quote(50, dear))).toBe(250);
  });

  it('is unlimited if all of it is paid', () => {
    expect(affordable('11', quote(5_000))).toBe(Infinity);
  });
});

describe('the remainder after a prompt of known cost', () => {
  it.each([
    ['1', '0.5', 250],
    ['1', '1', 0],
    ['1', '1.5', 0],
  ])('of %s roubles, %s for the prompt: %i tokens', (amount, prompt, tokens) => {
    expect(coveredTokens(rub(amount), rub(prompt), quote(5_000))).toBe(tokens);
  });

  it('covers everything if output is free', () => {
    expect(coveredTokens(rub('0'), rub('1'), quote(10, { prompt: rub('1'), completion: rub('0') }))).toBe(Infinity);
  });
});

describe('output beyond max_tokens', () => {
  it('is the maximum over all endpoints', () => {
    const quotes = [quote(10), quote(10, cheap, { beyondMaxTokens: 7 })];

    expect(beyondMaxTokens(planSpending(quotes, STEP))).toBe(7);
  });
});
