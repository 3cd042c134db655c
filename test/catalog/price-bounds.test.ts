import { describe, expect, it } from 'vitest';
import { checkPriceBounds, priceBoundsOf } from '../../lambdas/catalog/price-bounds.ts';
import { modelsFileSchema } from '../../lambdas/catalog/schema.ts';
import { billingUnits, completionParts, otherPriceNames, priceNameOf } from '../../lambdas/catalog/unit-lists.ts';
import { Money } from '../../lambdas/money/money.ts';

function check(pricing: object, more: object = {}) {
  const listed = {
    id: 'acme/big',
    permaslug: 'acme/big-1',
    name: 'Big',
    created: '2026-11-01',
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [
      {
        id: 'acme/big/0',
        provider: 'acme',
        upstream_model: 'big',
        pricing: { prompt: '0', completion: '0', ...pricing },
      },
    ],
    ...more,
  };
  const [model] = modelsFileSchema.parse({ models: [listed] }).models;
  return () => checkPriceBounds(model!, 'models/x.json: models[0]');
}

const pico = Money.fromPico(1n);

describe('the bounds of prices', () => {
  it('exist for each billing unit', () => {
    const names = [...billingUnits.map(priceNameOf), ...completionParts.flatMap(({ rest }) => rest?.price ?? [])];
    for (const name of names) expect(priceBoundsOf(name).most.exceeds(priceBoundsOf(name).least), name).toBe(true);
  });

  it.each(otherPriceNames)('are exact for %s', (name) => {
    const { least, most } = priceBoundsOf(name);
    for (const price of [least, most, Money.zero]) expect(check({ [name]: price.toString() })).not.toThrow();
    for (const price of [least.minus(pico), most.plus(pico)]) {
      expect(check({ [name]: price.toString() })).toThrow(
        `endpoints[0].pricing.${name}: ${price.toString()} RUB is not plausible`,
      );
    }
  });

  it.each([
    ['a price per million tokens', { prompt: '13.5' }, 'pricing.prompt: 13.5 RUB'],
    ['a price of a token in dollars per million', { completion: '0.000000001' }, 'pricing.completion: 0.000000001 RUB'],
    ['a tier', { overrides: [{ min_prompt_tokens: 9, prompt: '20' }] }, 'pricing.overrides[0].prompt: 20 RUB'],
    [
      'a period',
      { periods: [{ valid_from: '2027-01-01T00:00:00Z', overrides: [{ min_prompt_tokens: 9, prompt: '20' }] }] },
      'pricing.periods[0].overrides[0].prompt: 20 RUB',
    ],
    ['a part of the prompt', { input_cache_read: '2' }, 'pricing.input_cache_read: 2 RUB'],
  ])('refuse %s', (_, pricing, message) => {
    expect(check(pricing)).toThrow(`models/x.json: models[0].endpoints[0].${message} is not plausible`);
  });

  it('apply to the cost of the service, to kinds of images, and to seconds of video', () => {
    const endpoint = { id: 'acme/big/0', provider: 'acme', upstream_model: 'big' };
    const cost = { endpoints: [{ ...endpoint, service_cost: { prompt: '3', completion: '0' } }] };
    expect(check({}, cost)).toThrow('endpoints[0].service_cost.prompt: 3 RUB');
    const image = { output_formats: ['png'], qualities: ['low'], prices: { low: '0.0001' } };
    expect(check({}, { endpoints: [{ ...endpoint, image }] })).toThrow('endpoints[0].image.prices.low: 0.0001 RUB');
    const video = {
      durations: [5],
      resolutions: ['720p'],
      aspect_ratios: ['16:9'],
      price_per_second: { '720p': '10' },
      periods: [{ valid_from: '2027-01-01T00:00:00Z', price_per_second: { '720p': '0.0001' } }],
    };
    expect(check({}, { video })).toThrow('video.periods[0].price_per_second.720p: 0.0001 RUB');
  });

  it('refuse an image below $0.0001 and a minute of a recording below $0.00001, at 50 RUB per USD', () => {
    const [image, second] = ['output_image', 'audio_second'].map((name) => Number(priceBoundsOf(name as never).least));
    expect(image).toBeCloseTo(0.0001 * 50, 12);
    expect(second).toBeGreaterThanOrEqual((0.00001 / 60) * 50);
  });
});
