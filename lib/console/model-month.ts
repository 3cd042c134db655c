import { Money } from '../../lambdas/money/money.ts';
import type { AccountData } from './account.ts';
import { moneyOf } from './exact-numbers.ts';

export interface MonthOfModel {
  /** Model id; null for spending that is not counted by model. */
  model: string | null;
  daily: Money;
  weekly: Money;
  monthly: Money;
  /** Usage on the completed days of this month; null without requests. */
  completed: { requests: number; read: number; written: number; costOfRequest: Money } | null;
}

type MonthData = Pick<AccountData, 'credits' | 'models' | 'month'>;

/**
 * Returns the spending on each model, most expensive in the current month first. A last row has the account's spending
 * that is not counted by model, if there is any.
 */
export function modelsOfMonth({ credits, models, month }: MonthData): MonthOfModel[] {
  const completed = new Map(month.rows.map((row) => [row.model, row]));
  const rows = models.data.map(({ model, usage_daily, usage_weekly, usage_monthly }): MonthOfModel => {
    const row = completed.get(model);
    return {
      model,
      daily: moneyOf(usage_daily),
      weekly: moneyOf(usage_weekly),
      monthly: moneyOf(usage_monthly),
      completed:
        row === undefined || row.requests === 0
          ? null
          : {
              requests: row.requests,
              read: row.prompt_tokens,
              written: row.completion_tokens,
              costOfRequest: meanCost(moneyOf(row.usage), row.requests),
            },
    };
  });
  const restOf = (whole: Money, of: 'daily' | 'weekly' | 'monthly') =>
    Money.max(Money.zero, whole.minus(Money.sum(rows.map((row) => row[of]))));
  const rest: MonthOfModel = {
    model: null,
    daily: restOf(moneyOf(credits.usage_daily), 'daily'),
    weekly: restOf(moneyOf(credits.usage_weekly), 'weekly'),
    monthly: restOf(moneyOf(credits.usage_monthly), 'monthly'),
    completed: null,
  };
  const sorted = rows.toSorted((a, b) => b.monthly.compare(a.monthly) || b.weekly.compare(a.weekly));
  const hasRest = [rest.daily, rest.weekly, rest.monthly].some(({ isZero }) => !isZero);
  return hasRest ? [...sorted, rest] : sorted;
}

const SIGNIFICANT_DIGITS = 4;

/** Returns the mean cost of a request, rounded, for comparing models. */
function meanCost(cost: Money, requests: number): Money {
  const mean = cost.pico / BigInt(requests);
  const unit = 10n ** BigInt(Math.max(0, mean.toString().length - SIGNIFICANT_DIGITS));
  return Money.fromPico(((mean + unit / 2n) / unit) * unit);
}
