import { describe, expect, it } from 'vitest';
import { serviceCostOf } from '../../lambdas/accounting/service-cost.ts';
import { rub } from '../support/spending.ts';

const prices = {
  prompt: rub('0.001'),
  completion: rub('0.002'),
  request: rub('1'),
  overrides: [{ min_prompt_tokens: 1_000, prompt: rub('0.003') }],
};
const usage = { inputTokens: 1_500, outputTokens: 10 };

describe('the service cost of an answer', () => {
  it('is unknown if its endpoint has no purchase prices', () => {
    expect(serviceCostOf({ serviceCost: undefined }, { usage })).toBeUndefined();
  });

  it('is its usage at the purchase prices', () => {
    expect(String(serviceCostOf({ serviceCost: prices }, { usage }))).toBe('5.52');
  });

  it('is the sum over all requests to the provider, each with its own tier and fee', () => {
    const rounds = [
      { inputTokens: 500, outputTokens: 5 },
      { inputTokens: 1_000, outputTokens: 5 },
    ];
    expect(String(serviceCostOf({ serviceCost: prices }, { usage, rounds }))).toBe('3.52');
  });

  it('includes searches if they have a purchase price', () => {
    const searched = { ...usage, searchRequests: 2 };
    const withSearch = { ...prices, web_search: rub('0.5') };
    expect(String(serviceCostOf({ serviceCost: prices }, { usage: searched }))).toBe('5.52');
    expect(String(serviceCostOf({ serviceCost: withSearch }, { usage: searched }))).toBe('6.52');
  });

  it('is zero without tokens, even if a search was made', () => {
    const nothing = { inputTokens: 0, outputTokens: 0, searchRequests: 1 };
    expect(String(serviceCostOf({ serviceCost: { ...prices, web_search: rub('1') } }, { usage: nothing }))).toBe('0');
  });
});
