import { Money } from '../../lambdas/money/money.ts';
import { utcDate, windowEnd } from '../../lambdas/money/periods.ts';
import { workspaceNames, type AccountData } from './account.ts';
import type { ShownActivity, ShownBudget, ShownKey, ShownTagBudget } from './answers.ts';
import { moneyOf, type ExactNumber } from './exact-numbers.ts';
import { hashOf, memberHash } from './hash-route.ts';
import { DAYS_OF_PACE, runOutOf, type Pace, type RunOut } from './run-out.ts';

export interface LimitRow {
  id: string;
  owner: 'workspace' | 'member' | 'key' | 'account' | 'tag';
  name: string;
  /** Page about the owner of the limit; undefined for the account. */
  href: string | undefined;
  interval: string;
  limit: ExactNumber;
  spent: ExactNumber;
  /** Held amount; null if it is unknown, because the limit is lower than the spent amount. */
  held: Money | null;
  /**
   * Whether `held` is only a lower bound: the API reports 0 as remaining also if the spent and held amounts together
   * exceed the limit.
   */
  isHeldAtLeast: boolean;
  left: ExactNumber;
  /** Time at which the limit resets; null if it never resets. */
  resetsAtMs: number | null;
  runOut: RunOut;
}

type IsOwn = (row: ShownActivity) => boolean;

/** Returns the limits, sorted by the remaining share, smallest first. */
export function limitRowsOf(data: AccountData): LimitRow[] {
  const paceSince = pacesOf(data);
  const names = workspaceNames(data);
  const budgetRow = (whose: Pick<LimitRow, 'owner' | 'name' | 'href'>, pace: Pace) => (budget: ShownBudget) =>
    limitRow(data, pace, {
      ...whose,
      id: budget.id,
      interval: budget.interval,
      limit: budget.limit_rub,
      spent: budget.spend_rub,
      left: budget.remaining_rub,
      resetsAtMs: budget.resets_at === null ? null : Date.parse(budget.resets_at),
    });
  const rows = [
    ...data.workspaces.flatMap(({ id, name, budgets, created_at }) =>
      budgets.map(
        budgetRow(
          { owner: 'workspace', name, href: hashOf('workspaces', id) },
          paceSince(created_at, (row) => row.workspace_id === id),
        ),
      ),
    ),
    ...data.members.flatMap(({ id, workspace_id, budgets, created_at }) =>
      budgets.map(
        budgetRow(
          {
            owner: 'member',
            name: `${names.get(workspace_id) ?? workspace_id} / ${id}`,
            href: memberHash(id, workspace_id),
          },
          paceSince(created_at, (row) => row.user_id === id && row.workspace_id === workspace_id),
        ),
      ),
    ),
    ...data.keys.flatMap((key) => keyLimitRows(data, key, paceSince)),
    ...accountLimitRows(data, paceOfAccount(data, paceSince)),
    ...data.tagBudgets.map((budget) => tagLimitRow(data, budget)),
  ];
  return rows.toSorted((a, b) => leftShare(a) - leftShare(b));
}

type PaceSince = (createdAt: string, isOwn: IsOwn) => Pace;

/**
 * Returns a function that adds up an owner's spending in the last seven completed days. Days before the owner's
 * creation or first spending, whichever was earlier, do not count.
 */
function pacesOf({ activity, days }: AccountData): PaceSince {
  const daysOfPace = days.slice(-DAYS_OF_PACE);
  const recent = activity.filter(({ date }) => date >= daysOfPace[0]!);
  return (createdAt, isOwn) => {
    const own = recent.filter(isOwn);
    // A member can be removed and added again, so spending before its creation is possible.
    const [first] = [createdAt.slice(0, 10), ...own.map(({ date }) => date)].toSorted();
    return {
      spent: Money.sum(own.map(({ usage }) => moneyOf(usage))),
      days: daysOfPace.filter((day) => day >= first!).length,
    };
  };
}

/** Returns the pace of the account, which was created together with its first workspace. */
function paceOfAccount({ workspaces, readAtMs }: AccountData, paceSince: PaceSince): Pace {
  const [first = utcDate(readAtMs)] = workspaces.map(({ created_at }) => created_at).toSorted();
  return paceSince(first, () => true);
}

function keyLimitRows(data: AccountData, key: ShownKey, paceSince: PaceSince): LimitRow[] {
  if (key.limit === null || key.limit_remaining === null) return [];
  return [
    limitRow(
      data,
      paceSince(key.created_at, ({ api_key_hash }) => api_key_hash === key.hash),
      {
        id: key.hash,
        owner: 'key',
        name: key.name,
        href: hashOf('generations', undefined, { key: key.hash }),
        interval: key.limit_reset ?? 'lifetime',
        limit: key.limit,
        spent: spentInPeriod(key),
        left: key.limit_remaining,
        resetsAtMs: windowEnd(key.limit_reset ?? 'lifetime', data.readAtMs),
      },
    ),
  ];
}

/** Returns the spending of a key in the period of its limit; without a limit, of this month. */
export function spentInPeriod(key: ShownKey): ExactNumber {
  if (key.limit === null) return key.usage_monthly;
  const byReset = { daily: key.usage_daily, weekly: key.usage_weekly, monthly: key.usage_monthly };
  return key.limit_reset === null ? key.usage : byReset[key.limit_reset];
}

/** Returns the row of a tag budget. Its pace is unknown, because activity is not read by tag. */
function tagLimitRow(data: AccountData, budget: ShownTagBudget): LimitRow {
  const { name, value, interval, limit_rub: limit, spend_rub: spent, remaining_rub: left, resets_at } = budget;
  return limitRow(
    data,
    { spent: Money.zero, days: 0 },
    {
      id: `${name}=${value} ${interval}`,
      owner: 'tag',
      name: `${name}=${value}`,
      href: hashOf('tags'),
      interval,
      limit,
      spent,
      left,
      resetsAtMs: resets_at === null ? null : Date.parse(resets_at),
    },
  );
}

/** Returns a row with the balance of a prepaid account, or one row per credit limit of a postpaid account. */
function accountLimitRows(data: AccountData, pace: Pace): LimitRow[] {
  const { balance, held, total_credits, total_usage, limits } = data.credits;
  if (balance === null) {
    return limits.map(({ interval, limit_rub: limit, spend_rub: spent, remaining_rub: left, resets_at }) =>
      limitRow(data, pace, {
        id: `account ${interval}`,
        owner: 'account',
        name: '',
        href: undefined,
        interval,
        limit,
        spent,
        left,
        resetsAtMs: resets_at === null ? null : Date.parse(resets_at),
      }),
    );
  }
  const left = Money.max(Money.zero, moneyOf(balance).minus(moneyOf(held)));
  return [
    {
      id: 'account',
      owner: 'account',
      name: '',
      href: undefined,
      interval: 'lifetime',
      limit: total_credits,
      spent: total_usage,
      held: moneyOf(held),
      isHeldAtLeast: false,
      left: left.toString(),
      resetsAtMs: null,
      runOut: runOutOf(left, pace, data.readAtMs),
    },
  ];
}

type LimitFacts = Omit<LimitRow, 'held' | 'isHeldAtLeast' | 'runOut'>;

function limitRow({ readAtMs }: AccountData, pace: Pace, facts: LimitFacts): LimitRow {
  const left = moneyOf(facts.left);
  const held = moneyOf(facts.limit).minus(moneyOf(facts.spent)).minus(left);
  return {
    ...facts,
    held: held.isNegative ? null : held,
    isHeldAtLeast: left.isZero && !held.isNegative,
    runOut: runOutOf(left, pace, readAtMs, facts.resetsAtMs ?? undefined),
  };
}

function leftShare({ left, limit }: LimitRow): number {
  const whole = moneyOf(limit);
  return whole.isZero ? 0 : Number((moneyOf(left).pico * 10_000n) / whole.pico);
}
