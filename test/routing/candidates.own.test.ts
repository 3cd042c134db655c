import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { inRoutingOrder } from '../../lambdas/api/models/offer.ts';
import { modelView } from '../../lambdas/api/models/view.ts';
import { requestedRoute } from '../../lambdas/routing/requested-route.ts';
import { endpointsOnRoute, type RoutingInput } from '../../lambdas/routing/usable-endpoints.ts';
import { privacyFilter } from '../../lambdas/protection/privacy.ts';
import { noPrivacyLimits } from '../../lambdas/store/accounts/privacy.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { candidatesOf, quietSignals } from '../support/candidate.ts';
import { catalogDirectory, loadShippedCatalog, textModel } from '../support/catalog.ts';

const catalog = loadShippedCatalog();
const textModels = catalog.models.filter(({ data }) => data.output_modalities.includes('text'));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-candidates-'));
  writeFileSync(join(directory, 'secrets.json'), '{"pepper": "p"}');
  vi.stubEnv('GATEWAY_SECRETS_FILE', join(directory, 'secrets.json'));
  for (const { provider } of textModels.flatMap(({ endpoints }) => endpoints)) {
    if (provider.data.credential) vi.stubEnv(provider.data.credential, 'a key');
  }
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the values in the list of models, and the values of the endpoint that is tried first. */
async function shownAndTried(model: Model, usable: Endpoint[], exclusionOf: RoutingInput['exclusionOf']) {
  const [first] = await candidatesOf(model, { exclusionOf });
  const { pricing, top_provider: topProvider } = modelView(
    model,
    inRoutingOrder(model, usable, () => true),
  ) as {
    pricing: Record<string, unknown>;
    top_provider: Record<string, unknown>;
  };
  const { prompt, completion, request } = first!.pricing;
  return {
    shown: {
      prompt: pricing['prompt'],
      completion: pricing['completion'],
      request: pricing['request'],
      maxOutputTokens: topProvider['max_completion_tokens'],
    },
    tried: {
      prompt: prompt.toString(),
      completion: completion.toString(),
      request: request?.toString(),
      // Endpoints with the same price may have different limits.
      maxOutputTokens: expect.toBeOneOf(
        usable.filter(({ pricing }) => isDeepStrictEqual(pricing, first!.pricing)).map((one) => one.maxOutputTokens),
      ) as unknown,
    },
  };
}

describe('the candidates of a model', () => {
  it.each(textModels)('have the shown price at the first endpoint: $id', async (model) => {
    const { shown, tried } = await shownAndTried(model, model.endpoints, () => undefined);
    expect(shown).toEqual(tried);
  });

  const shared = textModels.filter(({ endpoints }) => new Set(endpoints.map(({ provider }) => provider.id)).size > 1);

  it('include models of several providers', () => {
    expect(shared.length).toBeGreaterThanOrEqual(3);
  });

  it.each(shared)('have the shown price also for a caller that ignores the cheapest provider: $id', async (model) => {
    const [cheapest] = await candidatesOf(model);
    const exclusionOf = privacyFilter([{ ...noPrivacyLimits, ignoredProviders: [cheapest!.endpoint.provider.id] }]);
    const usable = model.endpoints.filter((endpoint) => exclusionOf(endpoint) === undefined);
    const { shown, tried } = await shownAndTried(model, usable, exclusionOf);
    expect(shown).toEqual(tried);
  });

  it('are excluded by privacy if all remaining endpoints have no price', async () => {
    const price = { prompt: '0.0001', completion: '0.0002' };
    const directory = catalogDirectory([
      textModel('test/model', [{ provider: 'mistral', pricing: price }, { provider: 'groq' }]),
    ]);
    const model = loadCatalog(directory.path).find('test/model')!;
    directory.remove();
    const exclusionOf = privacyFilter([{ ...noPrivacyLimits, ignoredProviders: ['mistral'] }]);
    await expect(candidatesOf(model, { exclusionOf })).rejects.toMatchObject({
      status: 404,
      metadata: { excluded_by: ['ignored_providers'] },
    });
  });

  describe('with a variable in the name at the provider', () => {
    const price = { prompt: '0.0001', completion: '0.0002' };
    const atYandex = { provider: 'yandex', upstream_model: 'gpt://{TEST_FOLDER}/model/{TEST_BRANCH}', pricing: price };
    const load = () => {
      const directory = catalogDirectory([textModel('test/model', [atYandex])]);
      const model = loadCatalog(directory.path).find('test/model')!;
      directory.remove();
      return model;
    };

    it('have the name with the value of the variable', async () => {
      vi.stubEnv('TEST_FOLDER', 'b1g');
      vi.stubEnv('TEST_BRANCH', 'rc');

      const [candidate] = await candidatesOf(load());

      expect(candidate!.target.upstreamModel).toBe('gpt://b1g/model/rc');
    });

    it('are listed and not used while a variable is not set, and the refusal names it', async () => {
      vi.stubEnv('TEST_FOLDER', 'b1g');
      vi.stubEnv('TEST_BRANCH', '');
      const model = load();

      expect(modelView(model)).toMatchObject({ id: 'test/model' });
      await expect(candidatesOf(model)).rejects.toThrow(
        'its operator has not set the variable TEST_BRANCH for Yandex AI Studio',
      );
    });
  });

  it('are refused for their kind of answer if no endpoint gives it, not for missing credentials', async () => {
    const route = requestedRoute(catalog, { model: 'deepseek/deepseek-v3.2', messages: [] }, { check: undefined });
    const input = { exclusionOf: () => undefined, signals: quietSignals, promptTokens: 0 };

    const candidates = endpointsOnRoute(route, input, { makes: 'text', toCandidate: () => undefined });

    await expect(candidates).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'model: no endpoint of "deepseek/deepseek-v3.2" gives answers of this kind',
    });
  });

  it('exclude providers whose credential is not set', async () => {
    const model = catalog.find('deepseek/deepseek-v3.2')!;
    const [cheapest, next] = await candidatesOf(model);
    vi.stubEnv(cheapest!.endpoint.provider.data.credential!, '');
    expect((await candidatesOf(model))[0]!.endpoint.id).toBe(next!.endpoint.id);
  });
});
