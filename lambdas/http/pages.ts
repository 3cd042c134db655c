import { z } from 'zod';

/** Query parameters of a list that is paged only when asked: offset (from 0) and limit (1 to `maxLimit`). */
export function pageQuery(maxLimit: number) {
  return {
    offset: z.coerce.number().int().min(0).optional(),
    limit: z.coerce.number().int().min(1).max(maxLimit).optional(),
  };
}

/** Default page size once a client has begun to page. */
const DEFAULT_LIMIT = 500;

/** A page of a list that is held in memory; the whole list when neither offset nor limit is given. */
export function paginate<Item>(
  items: Item[],
  { offset, limit }: { offset?: number | undefined; limit?: number | undefined },
): { data: Item[]; links: { next: null }; total_count: number } {
  const paged = offset !== undefined || limit !== undefined;
  const start = offset ?? 0;
  const data = paged ? items.slice(start, start + (limit ?? DEFAULT_LIMIT)) : items;
  return { data, links: { next: null }, total_count: items.length };
}
