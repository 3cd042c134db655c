import { expect, it } from 'vitest';
import { firstDayOfNewer, type FoundRequests } from '../../lib/console/request-search.ts';

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
