import { afterEach, expect, it, vi } from 'vitest';
import { periodOption } from '../../lib/admin/reports/report-options.ts';

afterEach(() => void vi.useRealTimers());

it.each([
  ['Europe/Moscow', '2026-11-01', '2026-11-01'],
  ['UTC', '2026-10-01', '2026-10-31'],
  ['America/New_York', '2026-10-01', '2026-10-31'],
])('a report in the time zone %s ends today in this zone by default', (zone, from, to) => {
  vi.useFakeTimers({ now: Date.parse('2026-10-31T22:30:00Z') });

  expect(periodOption({ zone })).toMatchObject({ from, to });
});
