import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { operatorSecrets, providerStates } from '../../lib/shared/callable.ts';

describe('the providers of a catalog', () => {
  it('are listed with the variables to set, also without an address, except the sandbox', () => {
    const states = providerStates(loadCatalog());

    expect(states.find(({ id }) => id === 'ollama')).toMatchObject({
      state: 'no address',
      variable: 'OLLAMA_BASE_URL',
      models: expect.toSatisfy((count: number) => count > 0),
    });
    expect(states.find(({ id }) => id === 'azure')?.variable).toMatch(/^AZURE_OPENAI_BASE_URL AZURE/);
    expect(states.filter(({ variable }) => variable?.includes('SANDBOX'))).toEqual([]);
  });
});

describe("the operator's secrets for the sandboxed functions", () => {
  afterEach(() => vi.unstubAllEnvs());

  it('are all credentials and certificates of the catalog that are set, whatever their names', () => {
    const set = {
      GIGACHAT_CREDENTIALS: 'gigachat',
      GIGACHAT_CA: 'certificate',
      RUNWAYML_API_SECRET: 'runway',
      TAVILY_API_KEY: 'search',
    };
    for (const [name, value] of Object.entries({ ...set, OTHER_API_KEY: 'not of the catalog' }))
      vi.stubEnv(name, value);

    expect(operatorSecrets(loadCatalog())).toMatchObject(set);
    expect(operatorSecrets(loadCatalog())).not.toHaveProperty('OTHER_API_KEY');
  });
});
