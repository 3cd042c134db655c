/**
 * Price changes that providers have announced, in the shipped catalog. Gemini 4 Argon and Carbon cost twice as much from
 * 1 December 2026 (https://ai.google.dev/gemini-api/docs/generate-content/latest-model), the Flash models from
 * 1 January 2027 (https://ai.google.dev/gemini-api/docs/pricing).
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import { pricesAt, pricesInTime } from '../../lambdas/catalog/price-periods.ts';
import { modelsFileSchema } from '../../lambdas/catalog/schema.ts';

const file = new URL('../../lambdas/catalog/data/models/google.json', import.meta.url);
const { models } = modelsFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
const endpoints = models.flatMap((model) => model.endpoints);
const usage = { inputTokens: 1_000, cacheReadTokens: 9_000, outputTokens: 100 };

function costAt(id: string, atMs: number): string {
  const { pricing: data } = endpoints.find((endpoint) => endpoint.id === id)!;
  const periods = pricesInTime(data, undefined);
  const { pricing } = pricesAt({ periods, pricing: undefined, serviceCost: undefined }, atMs);
  return priceUsage(usage, pricing!).total.toString();
}

describe('introductory prices', () => {
  it.each([
    ['gemini-4-argon', '2026-12-01T00:00:00Z', '0.3861', '0.7722'],
    ['gemini-4-carbon', '2026-12-01T00:00:00Z', '0.3861', '0.7722'],
    ['gemini-3.8-flash', '2027-01-01T00:00:00Z', '0.1782', '0.3564'],
    ['gemini-3.6-flash', '2027-01-01T00:00:00Z', '0.1782', '0.3564'],
  ])('of %s end at %s', (model, end, before, after) => {
    for (const provider of ['google', 'google-vertex']) {
      expect(costAt(`${provider}/google/${model}`, Date.parse(end) - 1)).toBe(before);
      expect(costAt(`${provider}/google/${model}`, Date.parse(end))).toBe(after);
    }
  });

  it('end for Gemini 3.7 Flash at Google Cloud alone, because the Gemini API answers with Gemini 3.8 Flash instead', () => {
    const places = endpoints.filter(({ upstream_model: model }) => model === 'gemini-3.7-flash');

    expect(places.map(({ provider }) => provider)).toEqual(['google-vertex']);
    expect(costAt(places[0]!.id, Date.UTC(2027, 0, 1))).toBe('0.3564');
  });
});
