import { describe, expect, it } from 'vitest';
import { Command } from 'commander';
import { parseDate, parseFuture, parseTime } from '../../lib/admin/command-line/arguments.ts';

describe('a day or time on the command line', () => {
  it.each(['2026-02-31', '2027-02-29', '2026-11-31', '2026-13-01', '2026-2-01'])('is refused: the day %s', (text) => {
    expect(() => parseDate(text)).toThrow('Use a day, for example 2026-11-20.');
  });

  it.each(['2027-02-29T00:00:00Z', '2026-11-31', '5', 'March 5, 2031'])('is refused: the time %s', (text) => {
    expect(() => parseTime(text)).toThrow('Use an ISO time, for example 2027-01-01T00:00:00Z.');
    expect(() => parseFuture(text)).toThrow('Use an ISO time');
  });

  it('is accepted if it exists', () => {
    expect(parseDate('2028-02-29')).toBe('2028-02-29');
    expect(parseTime('2028-02-29T01:30+03:00')).toBe('2028-02-28T22:30:00.000Z');
    expect(parseTime('2028-02-29')).toBe('2028-02-29T00:00:00.000Z');
  });

  it('is named in the error message', () => {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    command.option('--from <day>', 'first day', parseDate);

    expect(() => command.parse(['--from', '2026-02-31'], { from: 'user' })).toThrow(
      /'2026-02-31' is invalid.*Use a day/,
    );
  });
});
