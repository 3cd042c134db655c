/** Searches requests: one API response may cover only a part of them, so the search reads several responses. */

import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import type { ShownRequest } from './answers.ts';

/** Response of `GET /generations`. */
export interface RequestPage {
  data: ShownRequest[];
  next_cursor: string | null;
  searched_until: string | null;
}

export interface FoundRequests {
  rows: ShownRequest[];
  /** Cursor with which the search continues; null if everything was searched. */
  cursor: string | null;
  /** Time back to which the search has read, as the API reports it. */
  searchedUntil: string | null;
  isSearching: boolean;
  failure: unknown;
  /** Time of the latest response with the newest requests; undefined before the first. */
  newestReadAtMs?: number | undefined;
}

export interface Sought {
  /** Query parameters; empty parameters are omitted. */
  filters: Record<string, string>;
  from: string;
  /** Cursor of an earlier search; '' to start with the newest requests. */
  cursor: string;
  /** The search stops at this number of rows; the last response may exceed it. */
  rows: number;
}

/** The user can continue the search after this number of responses. */
const MAX_ANSWERS = 25;
const DAYS_OF_RECENT = 7;

export function firstRecentDay(nowMs: number): string {
  return utcDate(nowMs - (DAYS_OF_RECENT - 1) * DAY_MS);
}

/** Maximum page size of the API. */
const MAX_PAGE_ROWS = 100;

export function requestsPath({ filters, from, cursor, rows }: Sought): string {
  const limit = String(Math.min(rows, MAX_PAGE_ROWS));
  const requested = Object.entries({ ...filters, from, cursor, limit }).filter(([, value]) => value !== '');
  return `/generations?${new URLSearchParams(requested).toString()}`;
}

/**
 * Searches until there are enough rows, no further requests, or `MAX_ANSWERS` responses. Reports the rows found so far
 * after each response.
 */
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

/** An admitted request should be in the list after this time. */
const LISTING_DELAY_MS = 60_000;

/**
 * Returns the first day from which newer requests must be read: about the day of the latest response, or yesterday
 * while a request of yesterday is running.
 * @param from first day of the list
 */
export function firstDayOfNewer({ rows, newestReadAtMs }: FoundRequests, from: string, nowMs: number): string {
  if (newestReadAtMs === undefined) return from;
  const yesterday = utcDate(nowMs - DAY_MS);
  const isRunning = rows.some(({ status, created_at }) => status === 'pending' && created_at.startsWith(yesterday));
  const days = [utcDate(newestReadAtMs - LISTING_DELAY_MS), ...(isRunning ? [yesterday] : [])];
  const first = days.toSorted()[0]!;
  return first > from ? first : from;
}

export interface NewestRequests extends RequestPage {
  /** Whether `data` fills the list, or requests between `data` and the known requests may be missing. */
  replacesKnown: boolean;
}

/**
 * Reads the newest requests, back to the latest response of the list, until there are enough rows or `MAX_ANSWERS`
 * responses.
 */
export async function readNewest(
  read: (path: string) => Promise<RequestPage>,
  sought: Sought,
  known: FoundRequests,
  nowMs: number,
): Promise<NewestRequests> {
  const { newestReadAtMs: readAtMs = -Infinity } = known;
  const from = firstDayOfNewer(known, sought.from, nowMs);
  const data: ShownRequest[] = [];
  let cursor = '';
  for (let answers = 1; ; answers += 1) {
    const { next_cursor, searched_until, ...page } = await read(requestsPath({ ...sought, from, cursor }));
    data.push(...page.data);
    const hasGap = next_cursor !== null && !(Date.parse(searched_until!) < readAtMs - LISTING_DELAY_MS);
    const isFull = data.length >= sought.rows;
    if (!hasGap || isFull || answers === MAX_ANSWERS)
      return { data, next_cursor, searched_until, replacesKnown: isFull || hasGap || readAtMs === -Infinity };
    cursor = next_cursor;
  }
}

/**
 * Replaces the known requests with the newest requests, if `replacesKnown` is true. Otherwise merges them, so that each
 * request appears once, in its newest state.
 */
export function withNewest(known: FoundRequests, newest: NewestRequests) {
  const { data, next_cursor, searched_until, replacesKnown } = newest;
  if (replacesKnown) {
    return { ...known, rows: data, cursor: next_cursor, searchedUntil: searched_until, failure: undefined };
  }
  const ids = new Set(data.map(({ id }) => id));
  const older = known.rows.filter(({ id }) => !ids.has(id));
  return { ...known, rows: [...data, ...older].toSorted((a, b) => (a.id < b.id ? 1 : -1)), failure: undefined };
}
