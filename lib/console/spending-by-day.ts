/** Spending on thirty completed days and today, by one dimension. */

import { Money } from '../../lambdas/money/money.ts';
import { utcDate } from '../../lambdas/money/periods.ts';
import type { AccountData } from './account.ts';
import type { ShownActivity } from './answers.ts';
import { moneyOf, type ExactNumber } from './exact-numbers.ts';
import type { Texts } from './texts/languages.ts';

export const spendingDimensions = ['workspace', 'key', 'member', 'model'] as const;
/** Dimension by which spending is split; `tag:<name>` splits it by the values of a reported tag. */
export type SpendingDimension = (typeof spendingDimensions)[number] | `tag:${string}`;

const TAG = 'tag:';

/** Returns the name of a dimension's tag; undefined for other dimensions. */
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

type Names = Pick<Texts, 'others' | 'noMember' | 'key' | 'deletedKey' | 'noTagValue' | 'notSplitYet'>;

/**
 * Returns the cost per day and name: newest day first, then most expensive first.
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

/** Returns today's spending, with a separate row for spending without a named owner or model. */
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

function counted(data: AccountData, by: SpendingDimension): Counted[] {
  const { workspaces, keys, members, models } = data;
  switch (by) {
    case 'workspace':
      return named(workspaceNames(data), workspaces);
    case 'key':
      return named(
        keyNames(data),
        keys.map((key) => ({ ...key, id: key.hash })),
      );
    case 'member':
      return members.map(({ id, usage_daily }) => ({ name: id, usage: usage_daily }));
    case 'model':
      return models.data.map(({ model, usage_daily }) => ({ name: model, usage: usage_daily }));
    default:
      // Only tags with budgets have counters of today's spending.
      return [];
  }
}

function named(names: ReadonlyMap<string, string>, owners: readonly { id: string; usage_daily: ExactNumber }[]) {
  return owners.map(({ id, usage_daily }): Counted => ({ name: names.get(id)!, usage: usage_daily }));
}

function workspaceNames({ workspaces }: AccountData): Map<string, string> {
  return distinctNames(workspaces.map(({ id, name, slug }) => ({ id, name, mark: slug })));
}

function keyNames({ keys }: AccountData): Map<string, string> {
  return distinctNames(keys.map(({ hash, name, label }) => ({ id: hash, name, mark: label })));
}

/** Returns names by id. If several ids have the same name, each gets its mark, so that their spending is not merged. */
function distinctNames(owners: { id: string; name: string; mark: string }[]): Map<string, string> {
  const byName = Map.groupBy(owners, ({ name }) => name);
  return new Map(owners.map(({ id, name, mark }) => [id, byName.get(name)!.length > 1 ? `${name} (${mark})` : name]));
}

function nameByDimension(data: AccountData, by: SpendingDimension, texts: Names): (row: ShownActivity) => string {
  const workspaces = workspaceNames(data);
  const keys = keyNames(data);
  // If not all keys are loaded, a key without a name may exist.
  const unnamedKey = data.isPartial ? texts.key : texts.deletedKey;
  switch (by) {
    case 'workspace':
      return ({ workspace_id = '' }) => workspaces.get(workspace_id) ?? workspace_id;
    case 'key':
      return ({ api_key_hash = '' }) => keys.get(api_key_hash) ?? `${unnamedKey} ${api_key_hash.slice(0, 8)}`;
    case 'member':
      return ({ user_id }) => user_id ?? texts.noMember;
    case 'model':
      return ({ model }) => model;
    default:
      return ({ tags = {} }) => tags[tagOf(by)!] || texts.noTagValue;
  }
}
