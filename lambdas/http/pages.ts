import { integerParameter } from './fields.ts';

const MAX_OFFSET = 1_000_000_000;
/** Default page size, if a request has only an offset. */
const DEFAULT_PAGE_ENTRIES = 500;

/** Returns the query parameters of optional paging: offset (from 0) and limit (1 to `maxLimit`). */
export function pageQuery(maxLimit: number) {
  return {
    offset: integerParameter(0, MAX_OFFSET).optional().meta({ description: 'How many entries of the list to skip.' }),
    limit: integerParameter(1, maxLimit).optional().meta({ description: 'The most entries to return.' }),
  };
}

/** Returns the query parameters of a list that is always paged. */
export function alwaysPaged(maxLimit: number) {
  return {
    offset: integerParameter(0, MAX_OFFSET).default(0).meta({
      description:
        'How many entries of the list to skip. If an entry is deleted between two pages, the later entries move up by one: to delete all, read the first page again and again.',
    }),
    limit: integerParameter(1, maxLimit).default(maxLimit).meta({ description: 'The most entries to return.' }),
  };
}

/**
 * Returns a page of a list, or the whole list without offset and limit.
 * @param path path and other query parameters, for the link to the next page
 */
export function paginate<Item>(
  items: Item[],
  page: { offset?: number | undefined; limit?: number | undefined },
  path: { pathname: string; query?: Record<string, string> },
): { data: Item[]; links: { next: string | null }; total_count: number } {
  if (page.offset === undefined && page.limit === undefined) {
    return { data: items, links: { next: null }, total_count: items.length };
  }
  const { offset = 0, limit = DEFAULT_PAGE_ENTRIES } = page;
  const end = offset + limit;
  const query = new URLSearchParams({ ...path.query, offset: String(end), limit: String(limit) });
  const next = end < items.length ? `${path.pathname}?${query.toString()}` : null;
  return { data: items.slice(offset, end), links: { next }, total_count: items.length };
}
