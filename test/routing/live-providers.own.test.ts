import { afterEach, describe, expect, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { liveProviders, readiness } from '../../lambdas/routing/live-providers.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

afterEach(() => vi.unstubAllEnvs());
const catalog = loadShippedCatalog();
const endpointOf = (model: string, provider: string) =>
  catalog.find(model)!.endpoints.find((endpoint) => endpoint.provider.id === provider)!;

/** Sets keys in environment variables, as on a laptop. */
function setKeys(keys: Record<string, string | undefined>) {
  vi.stubEnv(variables.providerKeysSecret, undefined);
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
}

describe('a provider', () => {
  it('is live if its credential is set, or if it needs none', async () => {
    setKeys({ ANTHROPIC_API_KEY: 'secret', OPENAI_API_KEY: undefined });

    const live = await liveProviders(catalog);

    expect(live).toEqual(expect.arrayContaining(['anthropic', 'sandbox-anthropic']));
    expect(live).not.toContain('openai');
  });
});

describe('an endpoint', () => {
  it('is available on a laptop if the credential of its provider is in the environment', () => {
    setKeys({ ANTHROPIC_API_KEY: 'secret', OPENAI_API_KEY: undefined });
    const isReady = readiness(() => undefined);

    expect(isReady(endpointOf('anthropic/claude-sonnet-5', 'anthropic'))).toBe(true);
    expect(catalog.find('openai/gpt-5.5')!.endpoints.map(isReady)).not.toContain(true);
    expect(isReady(endpointOf('sandbox/claude', 'sandbox-anthropic'))).toBe(true);
  });

  it.each([true, false, undefined])('is available on AWS by the last measurement: %s', (isLive) => {
    vi.stubEnv(variables.providerKeysSecret, 'arn');

    expect(readiness(() => isLive)(endpointOf('anthropic/claude-sonnet-5', 'anthropic'))).toBe(isLive);
  });

  it('of a model that is only listed is never available', () => {
    vi.stubEnv(variables.providerKeysSecret, 'arn');
    const listed = catalog.models.find(({ data }) => data.id === 'sandbox/musician')!;

    expect(listed.endpoints.map(readiness(() => true))).not.toContain(true);
  });
});
