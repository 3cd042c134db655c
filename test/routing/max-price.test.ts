import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { providerPreferences } from '../../lambdas/messages/preferences.ts';
import { Money } from '../../lambdas/money/money.ts';
import { misfitOf } from '../../lambdas/routing/preference-filter.ts';
import { preferencesFor } from '../../lambdas/routing/preferences.ts';

const model = { data: {} } as Model;
const moneyIn = (prices: Record<string, string>) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, Money.parse(price)]));

function isWithin(most: object, prices: Record<string, string>, kinds?: Record<string, string>): boolean {
  const endpoint = {
    pricing: moneyIn({ prompt: '0', completion: '0', ...prices }),
    data: kinds ? { image: { prices: moneyIn(kinds) } } : {},
  } as unknown as Endpoint & { pricing: never };
  const preferences = preferencesFor({ model, sort: undefined }, providerPreferences.parse({ max_price: most }));
  const misfit = misfitOf(model, endpoint, preferences, { parameters: [], tunings: [], promptTokens: 1 });
  return misfit !== 'max_price';
}

describe('a maximum price', () => {
  it.each([
    ['a song', 'request', { song: '8' }, 8],
    ['a fee and a song', 'request', { request: '1', song: '7' }, 8],
    ['a search unit', 'request', { search_unit: '8' }, 8],
    ['an image in the prompt', 'image', { image: '8' }, 8],
    ['a drawn image', 'image', { output_image: '8', image: '1' }, 8],
    ['an image of two million pixels', 'image', { pixel: '0.000004' }, 8],
    ['a second of a recording', 'audio', { audio_second: '8' }, 8],
    ['tokens of a recording', 'audio', { audio_input: '0.000008' }, 8],
    ['tokens of sound in the answer', 'audio', { audio_output: '0.000008' }, 8],
    ['tokens of a recording in the prompt', 'prompt', { audio_input: '0.000008' }, 8],
    ['tokens of an image in the prompt', 'prompt', { image_input: '0.000008' }, 8],
    ['characters to speak', 'prompt', { character: '0.000008' }, 8],
    ['tokens of a drawn image', 'completion', { image_output: '0.000008' }, 8],
    ['tokens of speech', 'completion', { audio_output: '0.000008' }, 8],
    ['tokens of thinking', 'completion', { internal_reasoning: '0.000008' }, 8],
    ['tokens of an answer with thinking', 'completion', { thinking_completion: '0.000008' }, 8],
  ])('bounds the price of %s', (_, unit, prices, price) => {
    expect(isWithin({ [unit]: price }, prices as Record<string, string>)).toBe(true);
    expect(isWithin({ [unit]: price - 0.001 }, prices as Record<string, string>)).toBe(false);
  });

  it('bounds the most expensive kind of image', () => {
    expect(isWithin({ image: 8 }, { output_image: '1' }, { low: '1', high: '8' })).toBe(true);
    expect(isWithin({ image: 7 }, { output_image: '1' }, { low: '1', high: '8' })).toBe(false);
  });

  it('does not include cache writes, or units of other maximum prices', () => {
    expect(isWithin({ prompt: 8 }, { prompt: '0.000008', input_cache_write: '0.00001' })).toBe(true);
    expect(isWithin({ prompt: 0, completion: 0 }, { song: '8', output_image: '8' })).toBe(true);
  });
});
