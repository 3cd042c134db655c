import { describe, expect, it } from 'vitest';
import { endpointViews, modelView, videoModelView } from '../../lambdas/api/models/view.ts';
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

describe('how an endpoint is doing', () => {
  const model = loadShippedCatalog().find('sandbox/gpt')!;
  const { id } = model.endpoints[0]!;

  it('is shown as it was measured', () => {
    const percentiles = { p50: 100, p75: 200, p90: 300, p99: 400 };
    const uptimePercent = { last5m: 98.5, last30m: 99.1, last1d: null };
    const [shown] = endpointViews(model, {
      isFailing: (endpointId) => endpointId === id,
      statisticsOf: () => ({ uptimePercent, latencyMs: percentiles, throughput: null }),
    });
    expect(shown).toMatchObject({
      status: -1,
      uptime_last_5m: 98.5,
      uptime_last_30m: 99.1,
      uptime_last_1d: null,
      latency_last_30m: percentiles,
      throughput_last_30m: null,
    });
  });

  it('is not invented: null where it was not measured, and no status where it is not known', () => {
    const [shown] = endpointViews(model, { isFailing: () => undefined, statisticsOf: () => undefined });
    expect(shown).toMatchObject({ uptime_last_5m: null, uptime_last_30m: null, uptime_last_1d: null });
    expect(shown).toMatchObject({ latency_last_30m: null, throughput_last_30m: null });
    expect(shown).not.toHaveProperty('status');
  });
});
