import { InvalidArgumentError, Option, type Command } from 'commander';
import { dateIn, daysOfMonth, periodOf, type Period } from '../../../lambdas/books/period.ts';
import { dimensions, type Dimension, type PlainDimension } from '../../../lambdas/books/spending.ts';
import { tagNameRule } from '../../../lambdas/management/rules.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import { parseDate } from '../command-line/arguments.ts';

export interface PeriodOptions {
  month?: string;
  from?: string;
  to?: string;
  zone: string;
}

/** Adds the options `--month`, `--from`, `--to` and `--zone`. */
export function withPeriodOptions(command: Command): Command {
  return command
    .addOption(new Option('--month <YYYY-MM>', 'a whole month').argParser(parseMonth).conflicts(['from', 'to']))
    .option('--from <day>', 'the first day; default: the first of the month of the last day', parseDate)
    .option('--to <day>', 'the last day; default: today in the time zone', parseDate)
    .option('--zone <name>', 'time zone of the days: UTC, or for example Europe/Moscow', 'UTC');
}

export function byOption(usual: PlainDimension[]): Option {
  return new Option('--by <list>', `one row for each: ${dimensions.join(', ')}`)
    .argParser((text) => parseBy(text, { takesTags: false }))
    .default(usual, usual.join(','));
}

export function parseMonth(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('Use a month, for example 2026-10.');
}

/** Returns the option `--by`, which also accepts tags of requests, unlike the option of `byOption`. */
export function byOptionWithTags(usual: PlainDimension[]): Option {
  return new Option('--by <list>', `one row for each: ${dimensions.join(', ')}, tag:<name>`)
    .argParser((text) => parseBy(text, { takesTags: true }))
    .default(usual, usual.join(','));
}

function parseBy(text: string, { takesTags }: { takesTags: boolean }): Dimension[] {
  const names = text.split(',').map((name) => name.trim());
  const known: readonly string[] = dimensions;
  const unknown = names.find((name) => !known.includes(name) && !(takesTags && isTagDimension(name)));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `"${unknown}" is unknown. Use a comma-separated list of ${dimensions.join(', ')}${takesTags ? ', tag:<name>' : ''}.`,
    );
  }
  return [...new Set(names)] as Dimension[];
}

function isTagDimension(text: string): boolean {
  return text.startsWith('tag:') && obeys(tagNameRule, text.slice('tag:'.length));
}

/**
 * Returns the period selected by the options.
 * @throws {GatewayError} 400 if the time zone is unknown, the last day is before the first, or the period is too long
 */
export function periodOption({ month, from, to, zone }: PeriodOptions): Period {
  if (month !== undefined) return periodOf({ ...daysOfMonth(month), zone });
  const last = to ?? dateIn(zone, nowMs());
  return periodOf({ from: from ?? `${last.slice(0, 'YYYY-MM'.length)}-01`, to: last, zone });
}
