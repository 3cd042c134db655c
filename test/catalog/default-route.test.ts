import { describe, expect, it } from 'vitest';
import { isFree, paidPrices, typicalCost } from '../../lambdas/catalog/default-route.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { otherPriceNames, partPriceNames } from '../../lambdas/catalog/unit-lists.ts';
import { rub } from '../support/spending.ts';

const free: Pricing = { prompt: rub('0'), completion: rub('0') };
const serviceCost: Pricing = { prompt: rub('1'), completion: rub('1') };
const pricedFor = (more: Partial<Pricing>) => ({ pricing: { ...free, ...more }, serviceCost });

describe('the prices by which endpoints are compared', () => {
  it("are the operator's if the client pays nothing", () => {
    expect(paidPrices(pricedFor({ song: rub('0'), web_search: rub('0') }))).toBe(serviceCost);
  });

  it.each(['prompt', 'completion', ...otherPriceNames, ...partPriceNames] as const)(
    "are the client's if the client pays for %s",
    (name) => {
      const priced = pricedFor({ [name]: rub('0.01') });

      expect(paidPrices(priced)).toBe(priced.pricing);
    },
  );

  it("are the client's if only long prompts cost something", () => {
    const priced = pricedFor({ overrides: [{ min_prompt_tokens: 9, prompt: rub('0.01') }] });

    expect(isFree(priced.pricing)).toBe(false);
    expect(paidPrices(priced)).toBe(priced.pricing);
  });
});

describe('the cost of a typical request', () => {
  it.each([
    ['song', '8', '8'],
    ['output_image', '4', '4'],
    ['search_unit', '0.2', '0.2'],
    ['request', '0.5', '0.5'],
    ['character', '0.001', '3'],
    ['audio_second', '0.01', '0.6'],
  ])('includes %s', (name, price, cost) => {
    expect(typicalCost({ ...free, [name]: rub(price) }).toString()).toBe(cost);
  });
});
