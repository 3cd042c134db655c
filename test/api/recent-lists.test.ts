import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recentList } from '../../lambdas/api/models/recent-lists.ts';
import type { Catalog } from '../../lambdas/catalog/catalog.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const path = '/v1/models';
const plain = { query: {}, headers: {} };

describe('a public list of models', () => {
  let catalog: Catalog;
  const render = vi.fn<() => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>>();
  beforeEach(() => {
    vi.useFakeTimers();
    catalog = loadShippedCatalog();
    render.mockReset().mockImplementation(async () => ({ statusCode: 200, headers: {}, body: 'list' }));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is rendered once for requests within a second', async () => {
    await Promise.all([recentList(catalog, plain, path, render), recentList(catalog, plain, path, render)]);
    vi.advanceTimersByTime(999);
    await recentList(catalog, plain, path, render);
    expect(render).toHaveBeenCalledTimes(1);

    vi.advanceTimersByTime(1);
    await recentList(catalog, plain, path, render);

    expect(render).toHaveBeenCalledTimes(2);
  });

  it('is rendered again for a published catalog', async () => {
    await recentList(catalog, plain, path, render);
    await recentList(loadShippedCatalog(), plain, path, render);

    expect(render).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['another query', { ...plain, query: { q: 'gpt' } }, path],
    ['clients of the Messages API', { ...plain, headers: { 'anthropic-version': '2023-06-01' } }, path],
    ['another route', plain, '/v1/embeddings/models'],
  ])('is rendered again for %s', async (_name, request, pathname) => {
    await recentList(catalog, plain, path, render);
    await recentList(catalog, request, pathname, render);

    expect(render).toHaveBeenCalledTimes(2);
  });

  it('shares no headers between responses', async () => {
    const first = await recentList(catalog, plain, path, render);
    first.headers['access-control-allow-origin'] = 'https://one.example';
    first.body = 'compressed';

    expect(await recentList(catalog, plain, path, render)).toEqual({ statusCode: 200, headers: {}, body: 'list' });
  });

  it('is rendered again after a failure', async () => {
    render.mockRejectedValueOnce(new Error('no table'));

    await expect(recentList(catalog, plain, path, render)).rejects.toThrow('no table');

    expect(await recentList(catalog, plain, path, render)).toMatchObject({ body: 'list' });
  });

  it('is cached for at most sixteen queries', async () => {
    for (let index = 0; index < 17; index += 1) {
      await recentList(catalog, { ...plain, query: { q: `${index}` } }, path, render);
    }
    await recentList(catalog, { ...plain, query: { q: '0' } }, path, render);

    expect(render).toHaveBeenCalledTimes(18);
  });
});
