import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SearchKind } from '../../lambdas/catalog/search-schema.ts';
import { ask, backendAt, queryOf, searchKinds, startSearchApi, type SearchApi } from '../support/search-backends.ts';

let api: SearchApi;
let lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  api = await startSearchApi();
  vi.stubEnv('METRICS_NAMESPACE', 'ModelGateway/test');
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as Record<string, unknown>);
    return true;
  });
});
beforeEach(() => void (lines = []));
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await api.stop();
});

async function alarmsAfter(kind: SearchKind, status: number, headers: Record<string, string> = {}) {
  api.answers((response) => response.writeHead(status, headers).end('secret-key'));
  await ask(backendAt(kind, api.url), queryOf('private words'));
  return lines.filter((line) => 'OperatorNeeded' in line && 'provider' in line).map(({ provider }) => provider);
}

const refusals: [SearchKind, number][] = [
  ...searchKinds.flatMap((kind) => [401, 402, 403].map((status): [SearchKind, number] => [kind, status])),
  ['brave', 422],
  ['tavily', 432],
  ['tavily', 433],
];

describe('a search engine that refuses the key or the account of the operator', () => {
  it.each(refusals)('raises the alarm: %s with status %i', async (kind, status) => {
    expect(await alarmsAfter(kind, status)).toEqual([kind]);
  });
});

describe('a search engine whose rate limit is reached', () => {
  it.each([
    ['1;w=1, 15000;w=2592000', '1, 0', ['brave']],
    ['1;w=1, 15000;w=2592000', '0, 1000', []],
    ['50;w=1, 0;w=2592000', '0, 0', []],
    ['1;w=1', '0', []],
  ])('raises the alarm only if the quota of a month is used up: %s, %s', async (policy, remaining, alarms) => {
    const headers = { 'x-ratelimit-policy': policy, 'x-ratelimit-remaining': remaining };

    expect(await alarmsAfter('brave', 429, headers)).toEqual(alarms);
  });
});

describe('a search engine that fails in another way', () => {
  it.each([400, 429, 500, 503])('raises no alarm: status %i', async (status) => {
    expect(await alarmsAfter('exa', status)).toEqual([]);
  });
});
