/** Limits and announced ends of models for media. The README of the catalog's data names the sources. */

import { describe, expect, it } from 'vitest';
import { loadShippedCatalog } from '../support/catalog.ts';

const models = loadShippedCatalog().models;
const modelOf = (id: string) => models.find((model) => model.id === id)!;

describe('models for media', () => {
  it.each([
    ['openai/tts-1', '2027-01-06T00:00:00Z'],
    ['openai/tts-1-hd', '2027-01-06T00:00:00Z'],
    ['openai/gpt-4o-mini-tts', '2027-01-06T00:00:00Z'],
    ['openai/gpt-audio', '2027-01-20T00:00:00Z'],
    ['openai/whisper-1', '2027-02-26T00:00:00Z'],
  ])('%s has no price from its announced end, %s', (id, end) => {
    const { data } = modelOf(id);

    expect(data.endpoints.map(({ pricing }) => pricing?.valid_until)).toEqual([end]);
  });

  it.each(['elevenlabs/eleven-v4', 'elevenlabs/eleven-v4-turbo'])('%s speaks texts of 10,000 characters', (id) => {
    expect(modelOf(id).endpoints.map(({ quirks }) => quirks)).toMatchObject([{ max_characters: 10_000 }]);
  });

  // In low quality, GPT Image 2.5 needs 196 tokens for an image, and 2.6 up to four times as many.
  it.each(['sunburst', 'flare'])('the hold of a low-quality image of GPT Image 2.6 %s covers its tokens', (variant) => {
    const [endpoint] = modelOf(`openai/gpt-image-2.6-${variant}`).data.endpoints;

    expect(endpoint!.image!.tokens!['low']).toBeGreaterThanOrEqual(4 * 196);
  });
});
