import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cheapestFirst } from '../../lambdas/catalog/default-route.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { Money } from '../../lambdas/money/money.ts';

const priced = (prompt: string, completion: string, request?: string): { pricing: Pricing } => ({
  pricing: {
    prompt: Money.parse(prompt),
    completion: Money.parse(completion),
    ...(request ? { request: Money.parse(request) } : {}),
  },
});
const usual = ({ pricing }: { pricing: Pricing }) => 3n * pricing.prompt.pico + pricing.completion.pico;

const withoutPrice = { pricing: undefined };

describe('the order in which endpoints are tried', () => {
  it('weighs a price of the prompt three times as much as one of the answer', () => {
    const dearAnswers = priced('0.0001', '0.0005');
    const dearPrompts = priced('0.0003', '0.0001');
    expect(cheapestFirst([dearPrompts, dearAnswers])).toEqual([dearAnswers, dearPrompts]);
  });

  it('counts a fee of the request', () => {
    const feed = priced('0.0001', '0.0001', '1');
    const plain = priced('0.0002', '0.0002');
    expect(cheapestFirst([feed, plain])).toEqual([plain, feed]);
  });

  it('keeps endpoints of one price as they stand in the file', () => {
    const first = { ...priced('0.0001', '0.0001'), id: 'first' };
    const second = { ...priced('0.0001', '0.0001'), id: 'second' };
    expect(cheapestFirst([first, second])).toEqual([first, second]);
    expect(cheapestFirst([second, first])).toEqual([second, first]);
  });

  it('leaves out what has no price', () => {
    const free = priced('0', '0');
    expect(cheapestFirst([withoutPrice, free])).toEqual([free]);
  });

  it('begins with the same price, however the endpoints are shuffled', () => {
    const price = fc.integer({ min: 0, max: 20 }).map((micro) => `0.0000${String(micro).padStart(2, '0')}`);
    const endpoint = fc.tuple(price, price).map(([prompt, completion]) => priced(prompt, completion));
    fc.assert(
      fc.property(fc.array(endpoint, { minLength: 1, maxLength: 6 }), (endpoints) => {
        const costs = cheapestFirst(endpoints).map(usual);
        return (
          costs.length === endpoints.length && costs.every((cost, index) => index === 0 || costs[index - 1]! <= cost)
        );
      }),
    );
  });
});
