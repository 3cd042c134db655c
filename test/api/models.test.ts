import { describe, expect, it } from 'vitest';
import { modelView, videoModelView } from '../../lambdas/api/models/view.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

describe('a model that makes video', () => {
  const model = loadShippedCatalog().find('sandbox/filmmaker')!;
  const perSecond = { 'per-video-second-768p': '12.5', 'per-video-second-1080p': '25' };

  it('does not say that its tokens are free among the models that make video', () => {
    expect(videoModelView(model)).toMatchObject({ pricing: {}, pricing_skus: perSecond });
    expect(videoModelView(model)['pricing']).not.toHaveProperty('prompt');
    expect(videoModelView(model)['pricing']).not.toHaveProperty('completion');
  });

  it('says what its seconds cost wherever it is listed', () => {
    expect(modelView(model)).toMatchObject({ pricing_skus: perSecond });
  });
});

describe('a model that makes text', () => {
  it('has no prices of seconds', () => {
    expect(modelView(loadShippedCatalog().find('sandbox/gpt')!)).not.toHaveProperty('pricing_skus');
  });
});
