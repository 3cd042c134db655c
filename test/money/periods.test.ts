import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { endOfNamedWindow, intervals, windowEnd, windowsAt } from '../../lambdas/money/periods.ts';

const instant = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2060, 0, 1) });
const utc = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC');

describe('windows of spending', () => {
  it('are named by their first day in UTC, weeks by their Monday', () => {
    fc.assert(
      fc.property(instant, (ms) => {
        const at = utc(ms);
        const monday = at.subtract({ days: at.dayOfWeek - 1 });
        expect(windowsAt(ms)).toEqual({
          daily: `day_${at.toPlainDate().toString()}`,
          weekly: `week_${monday.toPlainDate().toString()}`,
          monthly: `month_${at.toPlainDate().toPlainYearMonth().toString()}`,
          lifetime: 'lifetime',
        });
      }),
    );
  });

  it('end when the next window of the same period begins', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom('daily', 'weekly', 'monthly'), (ms, interval) => {
        const end = windowEnd(interval, ms)!;
        expect(end).toBeGreaterThan(ms);
        expect(windowsAt(end - 1)[interval]).toBe(windowsAt(ms)[interval]);
        expect(windowsAt(end)[interval]).not.toBe(windowsAt(ms)[interval]);
      }),
    );
  });

  it('have an end that follows from their name alone', () => {
    fc.assert(
      fc.property(instant, (ms) => {
        for (const interval of intervals) {
          expect(endOfNamedWindow(windowsAt(ms)[interval])).toBe(windowEnd(interval, ms));
        }
      }),
    );
  });

  it('change at midnight UTC and at the end of a month', () => {
    const lastMoment = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    expect(windowsAt(lastMoment).monthly).toBe('month_2026-11');
    expect(windowsAt(lastMoment + 1)).toMatchObject({ daily: 'day_2026-12-01', monthly: 'month_2026-12' });
  });
});
