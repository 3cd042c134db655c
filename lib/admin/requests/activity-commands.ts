import { InvalidArgumentError, Option, type Command } from 'commander';
import { DAYS_SHOWN } from '../../../lambdas/accounting/activity-days.ts';
import {
  activitySplits,
  isComplete,
  splitTags,
  type ActivityRow,
  type ActivitySplit,
  type TagSplit,
} from '../../../lambdas/accounting/activity.ts';
import { addDailySums, noDailySums, type DailySums } from '../../../lambdas/accounting/daily-sums.ts';
import { openDayRows } from '../../../lambdas/accounting/roll-up.ts';
import { Names } from '../../../lambdas/books/names.ts';
import { valueInReport } from '../../../lambdas/books/tag-values.ts';
import { checkReportedTags, readTaggedActivity } from '../../../lambdas/books/tagged-activity.ts';
import { tagNameRule } from '../../../lambdas/management/rules.ts';
import { obeys } from '../../../lambdas/platform/text-rule.ts';
import { DAY_MS, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { readDays } from '../../../lambdas/store/days/activity.ts';
import { listWorkspaces } from '../../../lambdas/store/accounts/workspaces.ts';
import { wholeNumberUpTo } from '../command-line/arguments.ts';
import { readKeys } from '../accounts/named-key.ts';
import type { Row } from '../../shared/output.ts';
import { onAccount, type Session } from '../session/session.ts';

const groupings = ['day', 'model', 'provider', 'workspace', 'key', 'member'] as const;
type Grouping = (typeof groupings)[number] | TagSplit;

const DEFAULT_DAYS = 7;
/** The empty name stands for a missing member or tag. */
const NO_VALUE = '';

export function addActivityCommand(program: Command): void {
  program
    .command('activity')
    .description('print the spending of the last UTC days, including today so far')
    .option(
      '--days <n>',
      `number of days including today; at most ${DAYS_SHOWN}`,
      wholeNumberUpTo(DAYS_SHOWN),
      DEFAULT_DAYS,
    )
    .addOption(
      new Option('--by <what>', `one row for each: ${groupings.join(', ')}, tag:<name>`)
        .argParser(parseGrouping)
        .default('day'),
    )
    .action(onAccount(activityRows));
}

function parseGrouping(text: string): Grouping {
  const [tag] = splitTags([text]);
  const isKnown = tag === undefined ? (groupings as readonly string[]).includes(text) : obeys(tagNameRule, tag);
  if (isKnown) return text as Grouping;
  throw new InvalidArgumentError(`Allowed choices are ${groupings.join(', ')}, tag:<name>.`);
}

interface ActivityOptions {
  days: number;
  by: Grouping;
}

async function activityRows(session: Session, { days, by }: ActivityOptions): Promise<Row[]> {
  const rows = await activityOfDays(session, lastDays(days), by);
  const sums = new Map<string, DailySums>();
  for (const row of rows) {
    const name = nameIn(row, by);
    const sum = sums.get(name) ?? { ...noDailySums };
    addDailySums(sum, row);
    sums.set(name, sum);
  }
  const titleOf = await titleColumns(session, by, [...sums.keys()]);
  return [...sums]
    .sort(by === 'day' ? byName : byUsage)
    .map(([name, sum]) => ({ ...titleOf(name), ...dailySumsRow(sum) }));
}

function lastDays(count: number): string[] {
  const now = nowMs();
  return Array.from({ length: count }, (_, index) => utcDate(now - (count - 1 - index) * DAY_MS));
}

type NamedRow = Omit<ActivityRow, 'modelPermaslug' | 'endpointId'>;

/** Reads closed days from the daily rows, and open days, such as today, from the records. */
async function activityOfDays({ table, accountId }: Session, dates: string[], by: Grouping): Promise<NamedRow[]> {
  const splitBy: ActivitySplit[] =
    splitTags([by]).length > 0 ? [by as TagSplit] : activitySplits.filter((split) => split === by);
  await checkReportedTags({ table, accountId }, splitBy, '--by');
  // A day that is closed during this command must not be missing or counted twice.
  const days = await readDays(table, accountId, dates[0]!, dates.at(-1)!);
  const closed = days.filter(isComplete).map(({ date }) => date);
  const names = new Names(table, accountId);
  const rolledUp =
    closed.length === 0 ? [] : await readTaggedActivity({ table, accountId }, closed, { splitBy }, names);
  const level = by === 'day' || by === 'model' || by === 'provider' || by === 'workspace' ? 'WORKSPACE' : 'KEY';
  const tagNames = splitTags(splitBy);
  const open: NamedRow[] = [];
  for (const date of dates.filter((day) => !closed.includes(day))) {
    const rows = await openDayRows(table, accountId, date);
    for (const row of rows.filter((one) => one.level === level)) {
      const ofKey = tagNames.length === 0 ? {} : (await names.key(row.keyHash!)).tags;
      const tags = Object.fromEntries(tagNames.map((name) => [name, valueInReport(name, row.tags, ofKey)]));
      open.push({ date, ...row, tags });
    }
  }
  return [...rolledUp, ...open];
}

function byName([a]: [string, DailySums], [b]: [string, DailySums]): number {
  return a < b ? -1 : 1;
}

function byUsage(a: [string, DailySums], b: [string, DailySums]): number {
  const difference = b[1].usage.pico - a[1].usage.pico;
  return difference === 0n ? byName(a, b) : difference > 0n ? 1 : -1;
}

function nameIn(row: NamedRow, by: Grouping): string {
  switch (by) {
    case 'day':
      return row.date;
    case 'model':
      return row.model;
    case 'provider':
      return row.providerName;
    case 'workspace':
      return row.workspaceId!;
    case 'key':
      return row.keyHash!;
    case 'member':
      return row.memberId ?? NO_VALUE;
    default:
      return row.tags![splitTags([by])[0]!]!;
  }
}

/** The columns identify a row: its name, and the id of a workspace or the hash of a key. */
async function titleColumns(
  { table, accountId }: Session,
  by: Grouping,
  names: string[],
): Promise<(name: string) => Row> {
  if (by === 'workspace') {
    const slugs = new Map((await listWorkspaces(table, accountId)).map(({ id, slug }) => [id, slug]));
    return (id) => ({ workspace: slugs.get(id) ?? null, id });
  }
  if (by === 'key') {
    const keys = new Map((await readKeys(table, names)).map(({ hash, name }) => [hash, name]));
    return (hash) => ({ key: keys.get(hash) ?? null, hash });
  }
  return (name) => ({ [by]: name === NO_VALUE ? null : name });
}

function dailySumsRow({
  requests,
  promptTokens,
  completionTokens,
  reasoningTokens,
  usage,
  cacheSaved,
}: DailySums): Row {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    reasoning_tokens: reasoningTokens,
    usage_rub: usage.toString(),
    cache_saved_rub: cacheSaved.toString(),
  };
}
