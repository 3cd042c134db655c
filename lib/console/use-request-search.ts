import { useEffect, useState } from 'preact/hooks';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { GatewayClient } from './gateway-client.ts';
import {
  requestsPath,
  searchRequests,
  withNewest,
  type FoundRequests,
  type RequestPage,
  type Sought,
} from './request-search.ts';

const atFirst: FoundRequests = { rows: [], cursor: null, searchedUntil: null, isSearching: true, failure: undefined };

/** @param everyMs how often newer ones are looked for, while the tab is looked at; undefined where none can come */
export function useRequestSearch(client: GatewayClient, sought: Sought, everyMs: number | undefined): FoundRequests {
  const [search, setSearch] = useState(atFirst);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const read = async (path: string) => (await client.read<RequestPage>(path, signal)).body;
    const change = (next: (known: FoundRequests) => FoundRequests) => {
      if (!signal.aborted) setSearch(next);
    };
    const fail = (failure: unknown) => change((known) => ({ ...known, isSearching: false, failure }));
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      const newest = await read(requestsPath({ ...sought, from: utcDate(Date.now()) }));
      change((known) => withNewest(known, newest, sought.rows));
    };
    let timer: ReturnType<typeof setInterval> | undefined;
    const follow = () => {
      if (everyMs !== undefined && !signal.aborted) timer = setInterval(() => void look().catch(fail), everyMs);
    };
    setSearch(atFirst);
    searchRequests(read, sought, (found) => change(() => found))
      .catch(fail)
      .finally(follow);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [client, requestsPath(sought), everyMs]);
  return search;
}
