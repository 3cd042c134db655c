import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorPage, type CursorQuery } from '../../lambdas/api/models/messages-pages.ts';
import { paginate } from '../../lambdas/http/pages.ts';

const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `author/model-${index}` }));
const items = itemsOf(5);
const [first, second, third, fourth, fifth] = items;

const someItems = fc.nat(60).map(itemsOf);
const someLimit = fc.integer({ min: 1, max: 25 });

describe('a page of a list in the Messages API', () => {
  it.each<[string, CursorQuery, object[], boolean]>([
    ['begins at the start', { limit: 2 }, [first!, second!], true],
    ['has the models after an id', { limit: 2, after_id: second!.id }, [third!, fourth!], true],
    ['has has_more: false at the end', { limit: 2, after_id: third!.id }, [fourth!, fifth!], false],
    ['is empty after the last id', { after_id: fifth!.id }, [], false],
    ['has the models before an id', { limit: 2, before_id: fourth!.id }, [second!, third!], true],
    ['has has_more: false at the start', { limit: 2, before_id: third!.id }, [first!, second!], false],
    ['is empty before the first id', { before_id: first!.id }, [], false],
  ])('%s', (_, query, data, hasMore) => {
    expect(cursorPage(items, query)).toMatchObject({ data, has_more: hasMore });
  });

  it('has its first and its last id, or null for both', () => {
    expect(cursorPage(items, { limit: 3 })).toMatchObject({ first_id: first!.id, last_id: third!.id });
    expect(cursorPage([], {})).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  it('has twenty models without a limit', () => {
    expect(cursorPage(itemsOf(21), {})).toMatchObject({ data: itemsOf(20), has_more: true });
  });

  it.each([
    ['after_id', 'is not in the list', { after_id: 'nobody/nothing' }],
    ['before_id', 'is not in the list', { before_id: 'nobody/nothing' }],
    ['before_id', 'is sent with after_id', { before_id: first!.id, after_id: fifth!.id }],
  ])('is refused if %s %s', (field, _why, query) => {
    expect(() => cursorPage(items, query)).toThrow(
      expect.objectContaining({ status: 400, metadata: { field } }) as Error,
    );
  });
});

describe('pages of a list', () => {
  it('have each item once, forwards', () => {
    fc.assert(
      fc.property(someItems, someLimit, (list, limit) => {
        expect(
          walk((last) => cursorPage(list, { limit, ...(last ? { after_id: last.last_id! } : {}) })).flat(),
        ).toEqual(list);
      }),
    );
  });

  it('have each item once, backwards from the end', () => {
    fc.assert(
      fc.property(someItems, someLimit, (list, limit) => {
        const end = { id: 'the/end' };
        const pages = walk((last) => cursorPage([...list, end], { limit, before_id: last ? last.first_id! : end.id }));
        expect(pages.toReversed().flat()).toEqual(list);
      }),
    );
  });

  it('have each item once, by the links of the public convention', () => {
    fc.assert(
      fc.property(someItems, someLimit, (list, limit) => {
        const pages: unknown[][] = [];
        for (let page = { offset: 0, limit }; ;) {
          const { data, links } = paginate(list, page, { pathname: '/', query: { q: 'author' } });
          pages.push(data);
          if (links.next === null) break;
          const next = new URLSearchParams(links.next.split('?')[1]);
          page = { offset: Number(next.get('offset')), limit: Number(next.get('limit')) };
          expect(next.get('q')).toBe('author');
        }
        expect(pages.flat()).toEqual(list);
      }),
    );
  });
});

type Page = ReturnType<typeof cursorPage<{ id: string }>>;

/** Reads pages as the SDK does. */
function walk(read: (last: Page | undefined) => Page): { id: string }[][] {
  const pages: { id: string }[][] = [];
  let page: Page | undefined;
  do {
    page = read(page);
    pages.push(page.data);
  } while (page.has_more);
  return pages;
}
