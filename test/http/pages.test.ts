import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pageQuery, paginate } from '../../lambdas/http/pages.ts';

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const path = { pathname: '/v1/letters' };
const nextOf = (page: { offset?: number; limit?: number }, query?: Record<string, string>) =>
  paginate(letters, page, query ? { ...path, query } : path).links.next;

describe('a list with pages', () => {
  it('is complete without page parameters', () => {
    expect(paginate(letters, {}, path)).toEqual({ data: letters, links: { next: null }, total_count: 7 });
  });

  it('has one page, a link to the next page, and the total count', () => {
    expect(paginate(letters, { offset: 2, limit: 3 }, path)).toEqual({
      data: ['c', 'd', 'e'],
      links: { next: '/v1/letters?offset=5&limit=3' },
      total_count: 7,
    });
  });

  it('has no next page at its end, also if the last page is full', () => {
    expect(nextOf({ offset: 4, limit: 3 })).toBeNull();
    expect(nextOf({ offset: 3, limit: 3 })).toBe('/v1/letters?offset=6&limit=3');
  });

  it('is empty after its end', () => {
    expect(paginate(letters, { offset: 7 }, path)).toMatchObject({ data: [], links: { next: null }, total_count: 7 });
  });

  it('begins at its start if only a limit is given', () => {
    expect(paginate(letters, { limit: 2 }, path).data).toEqual(['a', 'b']);
  });

  it('has pages of 500 if only an offset is given', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => index);

    const { data, links } = paginate(many, { offset: 1 }, path);

    expect([data.length, data[0], links.next]).toEqual([500, 1, '/v1/letters?offset=501&limit=500']);
  });

  it('keeps the other parameters in the link to its next page', () => {
    expect(nextOf({ limit: 2 }, { q: 'a b&c', offset: '0' })).toBe('/v1/letters?q=a+b%26c&offset=2&limit=2');
  });
});

describe('the parameters of a page', () => {
  const query = z.object(pageQuery(100));

  it('may both be absent, or one of them', () => {
    expect([query.parse({}), query.parse({ offset: '0' }), query.parse({ limit: '100' })]).toEqual([
      {},
      { offset: 0 },
      { limit: 100 },
    ]);
  });

  it.each([{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { offset: '1000000001' }])('are refused: %j', (page) => {
    expect(query.safeParse(page).success).toBe(false);
  });
});
