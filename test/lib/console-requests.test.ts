import { describe, expect, it } from 'vitest';
import {
  firstDayOfNewer,
  readNewest,
  withNewest,
  type FoundRequests,
  type RequestPage,
} from '../../lib/console/request-search.ts';

it('a list reads newer requests from the day one minute before its latest response, or from yesterday while one of yesterday runs', () => {
  const afterMidnight = Date.parse('2026-11-25T00:00:03Z');
  const fromDay = (newestReadAt: string, status = 'complete') => {
    const rows = [{ status, created_at: '2026-11-24T23:59:58Z' }];
    const known = { rows, newestReadAtMs: Date.parse(newestReadAt) } as unknown as FoundRequests;
    return firstDayOfNewer(known, '2026-11-20', afterMidnight);
  };

  expect(fromDay('2026-11-24T23:59:59Z')).toBe('2026-11-24');
  expect(fromDay('2026-11-25T00:00:02Z')).toBe('2026-11-24');
  expect(fromDay('2026-11-25T00:02:00Z')).toBe('2026-11-25');
  expect(fromDay('2026-11-25T00:02:00Z', 'pending')).toBe('2026-11-24');
  expect(fromDay('2026-11-19T12:00:00Z')).toBe('2026-11-20');
});

/** Returns requests whose numbers are the minutes of their creation. */
const rowsAt = (minutes: number[]) =>
  minutes.map((minute) => ({ id: `gen-${minute}`, status: 'complete', created_at: timeAt(minute) }));
const timeAt = (minute: number) => `2026-11-25T12:${minute}:00Z`;

/** Returns a function that reads pages of two requests, newest first, from a list with one request per minute. */
const listOf = (last: number, first: number) => async (path: string) => {
  const cursor = new URLSearchParams(path.split('?')[1]).get('cursor');
  const end = cursor === null ? last : Number(cursor) - 1;
  const isLast = end - 1 <= first;
  const [next_cursor, searched_until] = isLast ? [null, null] : [String(end - 1), timeAt(end - 1)];
  return { data: rowsAt([end, end - 1]), next_cursor, searched_until } as unknown as RequestPage;
};

const minutesOf = ({ rows }: { rows: { id: string }[] }) => rows.map(({ id }) => Number(id.slice('gen-'.length)));

describe('the newest requests of a list', () => {
  const sought = { filters: {}, from: '2026-11-25', cursor: '', rows: 8 };
  const known = {
    rows: rowsAt([21, 20]),
    cursor: '20',
    newestReadAtMs: Date.parse(timeAt(22)),
  } as unknown as FoundRequests;
  const newest = (last: number, { first = 10, from = known } = {}) =>
    readNewest(listOf(last, first), sought, from, Date.parse(timeAt(last)));

  it('are read back to the known requests, however many pages that takes', async () => {
    const found = withNewest(known, await newest(25));

    expect(minutesOf(found)).toEqual([25, 24, 23, 22, 21, 20]);
    expect(found.cursor).toBe('20');
  });

  it('replace the known requests if they fill the list', async () => {
    const found = withNewest(known, await newest(40));

    expect(minutesOf(found)).toEqual([40, 39, 38, 37, 36, 35, 34, 33]);
    expect(found.cursor).toBe('33');
  });

  it('replace the known requests if the first search has failed', async () => {
    const found = withNewest(known, await newest(25, { first: 22, from: { ...known, newestReadAtMs: undefined } }));

    expect(minutesOf(found)).toEqual([25, 24, 23, 22]);
    expect(found).toMatchObject({ cursor: null, searchedUntil: null });
  });
});
