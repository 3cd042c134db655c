import { describe, expect, it } from 'vitest';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { providerStates } from '../../lib/shared/callable.ts';

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
