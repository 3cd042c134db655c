import { useEffect, useState } from 'preact/hooks';
import type { GatewayClient } from './gateway-client.ts';
import {
  readNewest,
  requestsPath,
  searchRequests,
  withNewest,
  type FoundRequests,
  type RequestPage,
  type Sought,
} from './request-search.ts';
import { currentVisit } from './visits.ts';

const atFirst: FoundRequests = { rows: [], cursor: null, searchedUntil: null, isSearching: true, failure: undefined };

/**
 * Searches requests, and adds newer requests while the tab is visible.
 * @param everyMs interval for reading newer requests; undefined for a list without newer requests
 */
export function useRequestSearch(client: GatewayClient, sought: Sought, everyMs: number | undefined): FoundRequests {
  const path = requestsPath(sought);
  const [search, setSearch] = useState(currentVisit().requests.get(path) ?? atFirst);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const { requests: kept } = currentVisit();
    const read = async (path: string) => (await client.read<RequestPage>(path, signal)).body;
    const change = (next: (known: FoundRequests) => FoundRequests) => {
      if (signal.aborted) return;
      setSearch((known) => {
        const found = next(known);
        if (!found.isSearching && found.failure === undefined) kept.set(path, found);
        return found;
      });
    };
    const fail = (failure: unknown) => change((known) => ({ ...known, isSearching: false, failure }));
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      const newestReadAtMs = Date.now();
      const newest = await readNewest(read, sought, kept.get(path) ?? atFirst, newestReadAtMs);
      // Rows to which the reader has scrolled are not replaced.
      if (newest.replacesKnown && scrollY > 0) return;
      change((known) => ({ ...withNewest(known, newest), newestReadAtMs }));
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      if (everyMs !== undefined && !signal.aborted)
        timer = setTimeout(() => void look().catch(fail).finally(follow), everyMs);
    };
    const known = kept.get(path);
    setSearch(known ?? atFirst);
    const begunAtMs = Date.now();
    const begin =
      known === undefined
        ? searchRequests(read, sought, (found) => change(() => ({ ...found, newestReadAtMs: begunAtMs })))
        : Promise.resolve();
    void begin.catch(fail).finally(follow);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, path, everyMs]);
  return search;
}
