import { describe, expect, it } from 'vitest';
import { dayFinder, daysOfMonth, periodOf, utcDaysOf } from '../../lambdas/books/period.ts';

const iso = (atMs: number) => new Date(atMs).toISOString();

describe('a period', () => {
  it('in UTC begins and ends at midnight UTC', () => {
    const period = periodOf({ from: '2026-10-01', to: '2026-10-31' });
    expect([iso(period.startMs), iso(period.endMs)]).toEqual(['2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z']);
    expect(period.days).toHaveLength(31);
  });

  it.each([
    ['Europe/Moscow', '2026-09-30T21:00:00.000Z', '2026-10-31T21:00:00.000Z'],
    // Summer time ends within the month.
    ['Europe/Berlin', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
    ['Asia/Kolkata', '2026-09-30T18:30:00.000Z', '2026-10-31T18:30:00.000Z'],
    ['America/Los_Angeles', '2026-10-01T07:00:00.000Z', '2026-11-01T07:00:00.000Z'],
  ])('in %s begins and ends at the midnights of that zone', (zone, start, end) => {
    const { startMs, endMs } = periodOf({ ...daysOfMonth('2026-10'), zone });
    expect([iso(startMs), iso(endMs)]).toEqual([start, end]);
  });

  it('has no gap at clock changes, also at midnight', () => {
    // In São Paulo, this day began at one o'clock.
    const { days } = periodOf({ from: '2018-11-03', to: '2018-11-05', zone: 'America/Sao_Paulo' });
    expect(days.map(({ startMs }) => iso(startMs))).toEqual([
      '2018-11-03T03:00:00.000Z',
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ]);
    expect(days.slice(1).map(({ startMs }) => startMs)).toEqual(days.slice(0, -1).map(({ endMs }) => endMs));
  });

  it('finds the day of a time', () => {
    const dayOf = dayFinder(periodOf({ from: '2026-10-01', to: '2026-10-02', zone: 'Europe/Moscow' }));
    expect(dayOf(Date.parse('2026-09-30T20:59:59.999Z'))).toBeUndefined();
    expect(dayOf(Date.parse('2026-09-30T21:00:00.000Z'))).toBe('2026-10-01');
    expect(dayOf(Date.parse('2026-10-01T21:00:00.000Z'))).toBe('2026-10-02');
    expect(dayOf(Date.parse('2026-10-02T21:00:00.000Z'))).toBeUndefined();
  });

  it('includes one more UTC day if it begins before midnight UTC', () => {
    const period = periodOf({ from: '2026-10-01', to: '2026-10-02', zone: 'Europe/Moscow' });
    expect(utcDaysOf(period)).toEqual(['2026-09-30', '2026-10-01', '2026-10-02']);
  });

  it.each([
    [{ from: '2026-10-02', to: '2026-10-01' }, /later than the last/],
    [{ from: '2025-01-01', to: '2026-10-01' }, /more than 400 days/],
    [{ from: '2026-10-01', to: '2026-10-01', zone: 'Mars/Base' }, /not a known time zone/],
  ])('refuses %o', (asked, words) => {
    expect(() => periodOf(asked)).toThrow(words);
  });

  it.each([
    ['2026-02', '2026-02-28'],
    ['2028-02', '2028-02-29'],
    ['2026-12', '2026-12-31'],
  ])('of the month %s ends on %s', (month, last) => {
    expect(daysOfMonth(month)).toEqual({ from: `${month}-01`, to: last });
  });
});
