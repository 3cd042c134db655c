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

describe('what an answer costs the service', () => {
  it('is not known where its endpoint has no purchase prices', () => {
    expect(serviceCostOf({ serviceCost: undefined }, { usage })).toBeUndefined();
  });

  it('is its usage at the purchase prices', () => {
    expect(String(serviceCostOf({ serviceCost: prices }, { usage }))).toBe('5.52');
  });

  it('is that of each request to the provider, with its own tier and fee', () => {
    const rounds = [
      { inputTokens: 500, outputTokens: 5 },
      { inputTokens: 1_000, outputTokens: 5 },
    ];
    expect(String(serviceCostOf({ serviceCost: prices }, { usage, rounds }))).toBe('3.52');
  });

  it('has the searches, where these have a price', () => {
    const searched = { ...usage, searchRequests: 2 };
    const withSearch = { ...prices, web_search: rub('0.5') };
    expect(String(serviceCostOf({ serviceCost: prices }, { usage: searched }))).toBe('5.52');
    expect(String(serviceCostOf({ serviceCost: withSearch }, { usage: searched }))).toBe('6.52');
  });

  it('is nothing where nothing was used', () => {
    const nothing = { inputTokens: 0, outputTokens: 0, searchRequests: 1 };
    expect(String(serviceCostOf({ serviceCost: { ...prices, web_search: rub('1') } }, { usage: nothing }))).toBe('0');
  });
});
