import { afterEach, expect, it, vi } from 'vitest';
import { readReadiness } from '../../lambdas/api/parts/availability.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { resources } from '../../lambdas/resources.ts';
import { openStatistics } from '../../lambdas/routing/statistics.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const model = loadShippedCatalog().find('anthropic/claude-sonnet-5')!;
const anthropic = model.endpoints.find(({ provider }) => provider.id === 'anthropic')!;

/** Simulates a process on AWS, which learns from stored measurements which providers have a credential. */
function measuring() {
  vi.stubEnv(variables.providerKeysSecret, 'arn');
  const state = { atMs: 1_000_000, live: [] as string[], reads: 0 };
  const read = async () => {
    state.reads += 1;
    return [{ measuredAtMs: state.atMs, endpoints: {}, liveProviders: state.live }];
  };
  const statistics = openStatistics(read, () => state.atMs);
  vi.spyOn(resources, 'statistics').mockReturnValue(statistics);
  return state;
}

it('lists include a new provider key half a minute after it was measured', async () => {
  const state = measuring();
  expect((await readReadiness([model]))(anthropic)).toBe(false);

  state.live = ['anthropic'];
  state.atMs += 30_000;

  expect((await readReadiness([model]))(anthropic)).toBe(true);
});

it('lists exclude a removed provider key half a minute after it was measured', async () => {
  const state = measuring();
  state.live = ['anthropic'];
  await readReadiness([model]);

  state.live = [];
  state.atMs += 30_000;

  expect((await readReadiness([model]))(anthropic)).toBe(false);
});

it('lists read no measurement if this process has the keys, or the models need none', async () => {
  const state = measuring();
  await readReadiness([loadShippedCatalog().find('sandbox/claude')!]);
  vi.stubEnv(variables.providerKeysSecret, undefined);
  vi.stubEnv(variables.local, '1');
  await readReadiness([model]);

  expect(state.reads).toBe(0);
});
