/** Requests that fit a filter. One answer of the API looks at few of them, so a search goes on from answer to answer. */

import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import type { ShownRequest } from './answers.ts';

/** An answer of `GET /generations`. */
export interface RequestPage {
  data: ShownRequest[];
  next_cursor: string | null;
  searched_until: string | null;
}

export interface FoundRequests {
  rows: ShownRequest[];
  /** From where it may go on; null where all was looked at. */
  cursor: string | null;
  /** The time to which it has looked back. */
  searchedUntil: string | null;
  isSearching: boolean;
  failure: unknown;
}

export interface Sought {
  /** Parameters of the list by their names: what is empty is not asked for. */
  filters: Record<string, string>;
  /** The first day. */
  from: string;
  /** Where an earlier search has ended; '' for the newest. */
  cursor: string;
  /** So many are wanted. */
  rows: number;
}

/** A search asks so often at most before its reader has to say that it shall go on. */
const MAX_ANSWERS = 25;
const DAYS_OF_RECENT = 7;

/** The first of the days that are looked at without further words. */
export function firstRecentDay(nowMs: number): string {
  return utcDate(nowMs - (DAYS_OF_RECENT - 1) * DAY_MS);
}

/** The API's most. */
const MAX_PAGE_ROWS = 100;

/** The path of an answer, with its parameters. */
export function requestsPath({ filters, from, cursor, rows }: Sought): string {
  const limit = String(Math.min(rows, MAX_PAGE_ROWS));
  const asked = Object.entries({ ...filters, from, cursor, limit }).filter(([, value]) => value !== '');
  return `/generations?${new URLSearchParams(asked).toString()}`;
}

/** Searches until there are as many as are wanted, and says what it has found after each answer. */
export async function searchRequests(
  read: (path: string) => Promise<RequestPage>,
  sought: Sought,
  onFound: (found: FoundRequests) => void,
): Promise<void> {
  const rows: ShownRequest[] = [];
  let { cursor } = sought;
  for (let answers = 1; ; answers += 1) {
    const { data, next_cursor, searched_until } = await read(requestsPath({ ...sought, cursor }));
    rows.push(...data);
    cursor = next_cursor ?? '';
    const isSearching = next_cursor !== null && rows.length < sought.rows && answers < MAX_ANSWERS;
    const found = { rows: [...rows], cursor: next_cursor, searchedUntil: searched_until };
    onFound({ ...found, isSearching, failure: undefined });
    if (!isSearching) return;
  }
}

/** The newest requests above those that are known: as they are now, each once. */
export function withNewest(known: FoundRequests, { data, next_cursor, searched_until }: RequestPage, wanted: number) {
  // As many as are wanted are newer than all that is known.
  if (data.length >= wanted) {
    return { ...known, rows: data, cursor: next_cursor, searchedUntil: searched_until, failure: undefined };
  }
  const ids = new Set(data.map(({ id }) => id));
  const older = known.rows.filter(({ id }) => !ids.has(id));
  return { ...known, rows: [...data, ...older].toSorted((a, b) => (a.id < b.id ? 1 : -1)), failure: undefined };
}
