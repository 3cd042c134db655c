import { describe, expect, it } from 'vitest';
import { markText, timeMarks } from '../../lib/console/parts/time-axis.ts';

const at = (text: string) => Date.parse(text) / 1_000;
const HOUR = 3_600;
const DAY = 24 * HOUR;

const evenly = (last: string, count: number, step: number) =>
  Array.from({ length: count }, (_, index) => at(last) - (count - 1 - index) * step);
const textsOf = (times: number[], most: number) => timeMarks({ times, most }).map((mark) => markText(mark, 'en'));

describe('the marks of a time axis', () => {
  it('are days, ending with the last day', () => {
    expect(textsOf(evenly('2026-11-24', 30, DAY), 5)).toEqual(['Oct 27', 'Nov 3', 'Nov 10', 'Nov 17', 'Nov 24']);
  });

  it('are midnights if the hours cover many days', () => {
    expect(textsOf(evenly('2026-11-25T10:00:00Z', 720, HOUR), 5)).toEqual([
      'Oct 28',
      'Nov 4',
      'Nov 11',
      'Nov 18',
      'Nov 25',
    ]);
  });

  it('are hours, with the date at midnight', () => {
    const marks = textsOf(evenly('2026-11-25T10:00:00Z', 20, HOUR), 8);

    expect(marks).toEqual(['15:00', '18:00', '21:00', 'Nov 25', '03:00', '06:00', '09:00']);
  });

  it('are a single mark for a single day', () => {
    expect(textsOf([at('2026-11-24')], 6)).toEqual(['Nov 24']);
  });

  it.each([2, 5, 9])('are at most as many as the caller allows: %d', (most) => {
    for (const count of [2, 10, 100, 720])
      expect(timeMarks({ times: evenly('2026-11-25T10:00:00Z', count, HOUR), most }).length).toBeLessThanOrEqual(most);
  });
});
