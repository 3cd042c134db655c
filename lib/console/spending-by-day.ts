/** Exact spending on thirty completed days and today, by one dimension. */

import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import { workspaceNames, type AccountData } from './account.ts';
import type { ShownActivity } from './answers.ts';
import { moneyOf, type ExactNumber } from './exact-numbers.ts';
import type { Texts } from './texts/languages.ts';

export const spendingDimensions = ['workspace', 'key', 'member', 'model'] as const;
/** Dimension of days; `tag:<name>` has the values of a reported tag. */
export type SpendingDimension = (typeof spendingDimensions)[number] | `tag:${string}`;

const TAG = 'tag:';

/** Returns the name of the tag of a dimension; undefined for other dimensions. */
export function tagOf(by: SpendingDimension): string | undefined {
  return by.startsWith(TAG) ? by.slice(TAG.length) : undefined;
}

export interface DaySpending {
  date: string;
  name: string;
  /** Number of requests; null for today, because today's requests are not counted. */
  requests: number | null;
  cost: Money;
}

type Names = Pick<Texts, 'others' | 'noMember' | 'deletedKey' | 'noTagValue' | 'notSplitYet'>;

/**
 * Returns the cost per day and name: newest day first, then most expensive first. There are no rows for days without
 * spending.
 * @param data its activity must be split by `by`
 */
export function spendingByDay(data: AccountData, by: SpendingDimension, texts: Names): DaySpending[] {
  const nameOf = nameByDimension(data, by, texts);
  const completed = [...Map.groupBy(data.activity, ({ date }) => date)].flatMap(([date, rows]) =>
    [...Map.groupBy(rows, nameOf)].map(([name, own]) => ({
      date,
      name,
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      cost: Money.sum(own.map(({ usage }) => moneyOf(usage))),
    })),
  );
  return [...completed, ...spendingToday(data, by, texts)].toSorted(
    (a, b) => b.date.localeCompare(a.date) || b.cost.compare(a.cost),
  );
}

/**
 * Returns today's spending, read from counters. If the named owners or models do not cover the whole account, the
 * remaining amount gets a separate row.
 */
function spendingToday(data: AccountData, by: SpendingDimension, texts: Names): DaySpending[] {
  const rows = counted(data, by);
  const rest = moneyOf(data.credits.usage_daily).minus(Money.sum(rows.map(({ usage }) => moneyOf(usage))));
  const named = [...rows, { name: nameOfRest(by, texts), usage: rest.toString() }];
  const date = utcDate(data.readAtMs);
  return [...Map.groupBy(named, ({ name }) => name)]
    .map(([name, own]) => ({ date, name, requests: null, cost: Money.sum(own.map(({ usage }) => moneyOf(usage))) }))
    .filter(({ cost }) => !cost.isZero && !cost.isNegative);
}

function nameOfRest(by: SpendingDimension, texts: Names): string {
  if (by === 'member') return texts.noMember;
  return tagOf(by) === undefined ? texts.others : texts.notSplitYet;
}

interface Counted {
  name: string;
  usage: ExactNumber;
}

function counted({ workspaces, keys, members, models }: AccountData, by: SpendingDimension): Counted[] {
  switch (by) {
    case 'workspace':
      return workspaces.map(({ name, usage_daily }) => ({ name, usage: usage_daily }));
    case 'key':
      return keys.map(({ name, usage_daily }) => ({ name, usage: usage_daily }));
    case 'member':
      return members.map(({ id, usage_daily }) => ({ name: id, usage: usage_daily }));
    case 'model':
      return models.data.map(({ model, usage_daily }) => ({ name: model, usage: usage_daily }));
    default:
      // No counter has today's spending by tag.
      return [];
  }
}

function nameByDimension(data: AccountData, by: SpendingDimension, texts: Names): (row: ShownActivity) => string {
  const workspaces = workspaceNames(data);
  const keys = new Map(data.keys.map(({ hash, name }) => [hash, name]));
  switch (by) {
    case 'workspace':
      return ({ workspace_id = '' }) => workspaces.get(workspace_id) ?? workspace_id;
    case 'key':
      return ({ api_key_hash = '' }) => keys.get(api_key_hash) ?? `${texts.deletedKey} ${api_key_hash.slice(0, 8)}`;
    case 'member':
      return ({ user_id }) => user_id ?? texts.noMember;
    case 'model':
      return ({ model }) => model;
    default:
      return ({ tags = {} }) => tags[tagOf(by)!] || texts.noTagValue;
  }
}
