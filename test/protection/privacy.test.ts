import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../lambdas/catalog/catalog.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { endpointView } from '../../lambdas/api/models/view.ts';
import { privacyFilter } from '../../lambdas/protection/privacy.ts';
import { noPrivacyLimits } from '../../lambdas/store/accounts/privacy.ts';
import { catalogDirectory, textModel } from '../support/catalog.ts';

const price = { pricing: { prompt: '0.0001', completion: '0.0002' } };
const forgetful = { logs_prompts: false, trains_on_prompts: false, retention_days: 0 };
const learning = { logs_prompts: true, trains_on_prompts: true };

/** Returns three endpoints. The first has the policy of Mistral (prompts are stored, not used for training). */
function endpoints(): Endpoint[] {
  const directory = catalogDirectory([
    textModel('test/model', [
      { provider: 'mistral', ...price },
      { provider: 'mistral', data_policy: forgetful, ...price },
      { provider: 'groq', data_policy: learning, ...price },
    ]),
  ]);
  try {
    return loadCatalog(directory.path).find('test/model')!.endpoints;
  } finally {
    directory.remove();
  }
}

describe('privacy rules', () => {
  it('apply the data policy of an endpoint, or else that of its provider', () => {
    const exclusionOf = privacyFilter([{ ...noPrivacyLimits, blockLogging: true }]);
    expect(endpoints().map(exclusionOf)).toEqual(['data_policy:logging', undefined, 'data_policy:logging']);
  });

  it('exclude training by the same policies', () => {
    const exclusionOf = privacyFilter([{ ...noPrivacyLimits, blockTraining: true }]);
    expect(endpoints().map(exclusionOf)).toEqual([undefined, undefined, 'data_policy:training']);
  });

  it('about providers apply to all of their endpoints, whatever the policy', () => {
    const exclusionOf = privacyFilter([{ ...noPrivacyLimits, ignoredProviders: ['mistral'] }]);
    expect(endpoints().map(exclusionOf)).toEqual(['ignored_providers', 'ignored_providers', undefined]);
  });

  it('use the policy that is shown', () => {
    const [, own, strict] = endpoints();
    const model = { id: 'test/model', endpoints: [], aliasOf: undefined, data: { supported_parameters: [] } };
    const unknown = { isFailing: () => undefined, statisticsOf: () => undefined, isReady: () => undefined };
    const shown = (endpoint: Endpoint) => endpointView(model as never, endpoint, unknown)['data_policy'];
    expect(shown(own!)).toEqual(forgetful);
    expect(shown(strict!)).toEqual({ ...learning, retention_days: null });
  });
});
