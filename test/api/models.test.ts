import { describe, expect, it } from 'vitest';
import { endpointViews, modelView, videoModelView } from '../../lambdas/api/models/view.ts';
import type { Route } from '../../lambdas/route.ts';
import { routes } from '../../lambdas/routes.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

describe('a model that makes video', () => {
  const model = loadShippedCatalog().find('sandbox/filmmaker')!;
  const perSecond = { 'per-video-second-768p': '12.5', 'per-video-second-1080p': '25' };

  it('has no free token prices in the list of models that make video', () => {
    expect(videoModelView(model, () => undefined)).toMatchObject({ pricing: {}, pricing_skus: perSecond });
    expect(videoModelView(model, () => undefined)['pricing']).not.toHaveProperty('prompt');
    expect(videoModelView(model, () => undefined)['pricing']).not.toHaveProperty('completion');
  });

  it('has its price per second in each list', () => {
    expect(modelView(model)).toMatchObject({ pricing_skus: perSecond });
  });
});

describe('routes that list models', () => {
  it('may read from the table which providers have a credential, because other models are unavailable', () => {
    const lists = Object.entries<Route>(routes).filter(([, { entry }]) => entry.startsWith('api/models/list'));

    expect(lists.map(([name]) => name)).toEqual(expect.arrayContaining(['list-models', 'list-embeddings-models']));
    expect(lists.filter(([, { grants }]) => !grants.table?.includes('Query')).map(([name]) => name)).toEqual([]);
  });
});

describe('a model that makes text', () => {
  it('has no prices per second', () => {
    expect(modelView(loadShippedCatalog().find('sandbox/gpt')!)).not.toHaveProperty('pricing_skus');
  });
});

describe('the default parameters of a model', () => {
  const nothing = {
    temperature: null,
    top_p: null,
    top_k: null,
    frequency_penalty: null,
    presence_penalty: null,
    repetition_penalty: null,
  };

  it('are an object with null for values that the gateway does not send', () => {
    const catalog = loadShippedCatalog();
    const defaultsOf = (id: string) => modelView(catalog.find(id)!).default_parameters;

    expect(defaultsOf('sandbox/gpt')).toEqual(nothing);
    expect(defaultsOf('sandbox/priced')).toEqual({ ...nothing, temperature: 1, top_p: 1 });
  });
});

describe('a model with two endpoints', () => {
  const model = loadShippedCatalog().models.find(({ endpoints }) => endpoints.length === 2)!;
  const [first] = model.endpoints;
  const availableWhere = (one: boolean | undefined, other: boolean | undefined) =>
    modelView(model, undefined, undefined, (endpoint) => (endpoint === first ? one : other)).available;

  it('is available if one of them is usable, and unavailable if none is', () => {
    expect([availableWhere(true, false), availableWhere(undefined, true), availableWhere(false, false)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is not listed as unavailable while that is unknown', () => {
    expect([availableWhere(undefined, false), availableWhere(undefined, undefined)]).toEqual([null, null]);
  });
});

const reasonOf = (id: string, isReady: boolean) =>
  modelView(loadShippedCatalog().find(id)!, undefined, undefined, () => isReady).unavailable_reason;

describe('the availability of a model', () => {
  it('is false with a reason if no route calls such models', () => {
    expect(reasonOf('sandbox/musician', false)).toBe('No route of this gateway calls models that make audio yet.');
  });

  it('is false with a reason if a credential is missing', () => {
    expect(reasonOf('openai/text-embedding-3-small', false)).toMatch(/operator has not set/);
  });

  it('has no reason if the model is usable', () => {
    expect(reasonOf('sandbox/gpt', true)).toBeUndefined();
  });
});

describe('the icons of a model', () => {
  const model = loadShippedCatalog().find('anthropic/claude-sonnet-5')!;
  const withData = (data: object) => ({ ...model, data: { ...model.data, ...data } });

  it('are derived from its author if the catalog has none', () => {
    const shown = modelView(model);

    expect(shown.icon_id).toBe('anthropic');
    expect(shown).not.toHaveProperty('icon_url');
    expect(shown).not.toHaveProperty('custom_icon_url');
  });

  it('are those of the catalog, else those of the provider', () => {
    const own = { icon_url: 'https://a.example/1.svg', icon_id: 'claude', custom_icon_url: 'https://b.example/2.svg' };
    const [first] = model.endpoints;
    const provider = { ...first!.provider, data: { ...first!.provider.data, icon_url: 'https://c.example/3.svg' } };

    expect(modelView(withData(own))).toMatchObject(own);
    expect(modelView(model, [{ ...first!, provider }])).toMatchObject({ icon_url: 'https://c.example/3.svg' });
  });
});

const nothingKnown = { isFailing: () => undefined, statisticsOf: () => undefined, isReady: () => undefined };

describe('the status of an endpoint', () => {
  const model = loadShippedCatalog().find('sandbox/gpt')!;
  const { id } = model.endpoints[0]!;

  it('is shown as it was measured', () => {
    const percentiles = { p50: 100, p75: 200, p90: 300, p99: 400 };
    const uptimePercent = { last5m: 98.5, last30m: 99.1, last1d: null };
    const [shown] = endpointViews(model, {
      isFailing: (endpointId) => endpointId === id,
      statisticsOf: () => ({ uptimePercent, latencyMs: percentiles, throughput: null }),
      isReady: () => true,
    });
    expect(shown).toMatchObject({
      status: -1,
      available: true,
      uptime_last_5m: 98.5,
      uptime_last_30m: 99.1,
      uptime_last_1d: null,
      latency_last_30m: percentiles,
      throughput_last_30m: null,
    });
  });

  it('is null without a measurement', () => {
    const [shown] = endpointViews(model, nothingKnown);
    expect(shown).toMatchObject({ uptime_last_5m: null, uptime_last_30m: null, uptime_last_1d: null });
    expect(shown).toMatchObject({ latency_last_30m: null, throughput_last_30m: null });
    expect(shown).toMatchObject({ available: null });
    expect(shown).not.toHaveProperty('status');
  });
});
