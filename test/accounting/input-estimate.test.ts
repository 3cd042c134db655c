import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unmeasuredOutcome } from '../../lambdas/accounting/ending.ts';
import { linesOf, provesItsPrice } from '../../lambdas/accounting/generation-lines.ts';
import { estimateWithin, inputEstimateOf } from '../../lambdas/accounting/input-estimate.ts';
import type { PromptUsage } from '../../lambdas/accounting/usage.ts';
import { priceUpperBound, type UsageBound } from '../../lambdas/accounting/price.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { pendingAttributes, generationFrom } from '../../lambdas/store/generations/generation.ts';
import type { FinalGeneration } from '../../lambdas/accounting/daily-sums.ts';
import { holdRequest, rub, type Spender } from '../support/spending.ts';

const pricing: Pricing = {
  prompt: rub('0.000123456789'),
  completion: rub('0.000987654321'),
  input_cache_write: rub('0.000154320987'),
  request: rub('0.01'),
  image: rub('0.033333333333'),
  search_unit: rub('0.2'),
  character: rub('0.0015'),
  audio_second: rub('0.009'),
  pixel: rub('0.000000000123'),
  audio_input: rub('0.0007'),
  overrides: [{ min_prompt_tokens: 700, prompt: rub('0.000246913578'), completion: rub('0.001481481481') }],
};

const spender: Spender = { payer: { accountId: 'a', workspaceId: 'w', memberId: undefined, keyHash: 'k' }, scopes: [] };
const unit = fc.option(fc.nat(1_000), { nil: undefined });
const prompts = fc.record({
  inputTokens: fc.nat(2_000),
  pricedImages: unit,
  searchUnits: unit,
  characters: unit,
  audioSeconds: unit,
  imagePixels: unit,
  audioInputTokens: unit,
  imageInputTokens: unit,
});

const price = (prompt: PromptUsage) => String(inputEstimateOf(prompt, pricing).cost);

describe('the estimate that is charged if nothing was measured', () => {
  it('contains the price of characters, seconds and other units of the prompt', () => {
    expect(price({ inputTokens: 0, characters: 1_000 })).toBe('1.51');
    expect(price({ inputTokens: 0, audioSeconds: 60 })).toBe('0.55');
    expect(price({ inputTokens: 0, searchUnits: 2 })).toBe('0.41');
    expect(price({ inputTokens: 0, audioInputTokens: 100 })).toBe('0.08');
    expect(price({ inputTokens: 0 })).toBe('0');
  });

  it('is proved by its record, and is never above the hold', () => {
    fc.assert(
      fc.property(prompts, prompts, fc.boolean(), (prompt, most, isHeld) => {
        const { inputTokens, audioInputTokens, imageInputTokens, ...pieces } = most;
        const bound: UsageBound = {
          ...pieces,
          promptTokens: inputTokens + (audioInputTokens ?? 0) + (imageInputTokens ?? 0),
          outputTokens: 10,
          cacheWrites: '5m',
        };
        const held = { amount: priceUpperBound(bound, pricing), steps: 1, serviceHolds: [], rateHolds: [] };
        const inputEstimate = estimateWithin(inputEstimateOf(prompt, pricing), bound, pricing);
        const { generation } = holdRequest(spender, held.amount);
        const hold = { ...held, scopes: isHeld ? (['key'] as const) : [] };
        const stored = generationFrom({
          state: 'pending',
          ...pendingAttributes({ ...generation, pricing, inputEstimate, hold: { ...hold, scopes: [...hold.scopes] } }),
        });
        const outcome = { ...unmeasuredOutcome(stored), pricing };

        const final = { ...stored, state: 'final', outcome } as FinalGeneration;
        expect(provesItsPrice(final, linesOf(final))).toBe(true);
        expect(outcome.cost.exceeds(held.amount)).toBe(false);
      }),
    );
  });
});
