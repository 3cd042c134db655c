import type { Catalog } from '../../catalog/catalog.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { ageMs, thisMoment, type Moment } from '../../platform/clock.ts';
import { dialectOf } from './dialect.ts';

const MAX_AGE_MS = 1_000;
/** Maximum number of cached lists of a catalog. A list may have hundreds of kilobytes. */
const MAX_LISTS = 16;

interface RecentList {
  begun: Moment;
  response: Promise<HttpResponse>;
}

const recentLists = new WeakMap<Catalog, Map<string, RecentList>>();

/**
 * Caches rendered lists for a second; use it only for lists that are the same for every caller.
 *
 * Guarantee: a list has the prices of the given catalog. Its availability data is at most one second older than without
 * this cache.
 * @param request its query and headers determine the list
 */
export async function recentList(
  catalog: Catalog,
  request: Pick<HttpRequest, 'query' | 'headers'>,
  pathname: string,
  render: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const lists = listsOf(catalog);
  const name = JSON.stringify([pathname, dialectOf(request), request.query]);
  let list = lists.get(name);
  if (!list || ageMs(list.begun) >= MAX_AGE_MS) {
    if (lists.size >= MAX_LISTS) lists.clear();
    list = { begun: thisMoment(), response: render() };
    lists.set(name, list);
  }
  try {
    const response = await list.response;
    // The caller adds headers of its own request to the response.
    return { ...response, headers: { ...response.headers } };
  } catch (error) {
    if (lists.get(name) === list) lists.delete(name);
    throw error;
  }
}

function listsOf(catalog: Catalog): Map<string, RecentList> {
  let lists = recentLists.get(catalog);
  if (!lists) recentLists.set(catalog, (lists = new Map()));
  return lists;
}
