import { invalidRequest } from '../../platform/errors.ts';

/** Default page size, as documented for the Messages API. */
const DEFAULT_PAGE_MODELS = 20;

export interface CursorQuery {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
}

interface CursorPage<Item> {
  data: Item[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

/**
 * Returns the page directly after or before the item with the given id, or the first page.
 * @throws {GatewayError} 400 for an id that is not in the list, or for two ids
 */
export function cursorPage<Item extends { id: string }>(items: readonly Item[], query: CursorQuery): CursorPage<Item> {
  const { limit = DEFAULT_PAGE_MODELS, after_id: afterId, before_id: beforeId } = query;
  if (beforeId !== undefined) {
    if (afterId !== undefined)
      throw invalidRequest('before_id', 'cannot be used together with after_id; leave one of them out');
    const end = modelIndex(items, 'before_id', beforeId);
    const start = Math.max(0, end - limit);
    return page(items.slice(start, end), start > 0);
  }
  const start = afterId === undefined ? 0 : modelIndex(items, 'after_id', afterId) + 1;
  return page(items.slice(start, start + limit), start + limit < items.length);
}

function page<Item extends { id: string }>(data: Item[], hasMore: boolean): CursorPage<Item> {
  return { data, has_more: hasMore, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function modelIndex(items: readonly { id: string }[], field: string, id: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index === -1) throw invalidRequest(field, `"${id}" is not in this list; send first_id or last_id of a page`);
  return index;
}
