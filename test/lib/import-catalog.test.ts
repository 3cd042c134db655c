import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertPrice, importCatalog } from '../../lib/admin/import-catalog.ts';

const decimals = (digits: number) =>
  fc.integer({ min: 0, max: 10 ** 9 }).map((value) => (value / 10 ** digits).toFixed(digits));

const units = (text: string) => BigInt(text.replace('.', ''));

describe('importing a price list', () => {
  it('never ends below the exact price, and at most 10⁻¹² RUB above it', () => {
    fc.assert(
      fc.property(decimals(6), decimals(4), decimals(2), (usd, rate, markup) => {
        // usd·10⁶ × rate·10⁴ × (100 + markup)·10² over 10⁶·10⁴·10²·100 dollars and 10⁶ tokens, in 10⁻¹² RUB.
        const numerator = units(usd) * units(rate) * (10_000n + units(markup)) * 10n ** 12n;
        const denominator = 10n ** 6n * 10n ** 4n * 10n ** 4n * 10n ** 6n;
        const { pico } = convertPrice(usd, { rubPerUsd: rate, markupPercent: markup });
        return pico * denominator >= numerator && (pico - 1n) * denominator < numerator;
      }),
    );
  });

  it('reads prices from their digits, tiers included', () => {
    const source = `{"acme": {"models": {"big": {
      "name": "Big", "release_date": "2026-01-02", "limit": {"context": 1000000, "output": 64000},
      "modalities": {"input": ["text", "pdf"], "output": ["text"]}, "tool_call": true,
      "cost": {"input": 0.0375, "output": 2, "tiers": [{"input": 0.1, "tier": {"size": 200000}}]}
    }}}}`;
    const selection = { models: [{ id: 'acme/big', from: [{ provider: 'acme', model: 'big' }] }], aliases: [] };

    const files = importCatalog(source, selection, { rubPerUsd: '92.5', markupPercent: '10' });

    expect(files.get('acme.json')).toMatchObject({
      models: [
        {
          id: 'acme/big',
          permaslug: 'acme/big-20260102',
          context_length: 1_000_000,
          input_modalities: ['text', 'file'],
          endpoints: [
            {
              max_output_tokens: 64_000,
              pricing: {
                prompt: '0.000003815625',
                completion: '0.0002035',
                overrides: [{ min_prompt_tokens: 200_000, prompt: '0.000010175' }],
              },
            },
          ],
        },
      ],
    });
  });
});
