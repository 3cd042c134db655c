import { createHash } from 'node:crypto';
import type { BudgetOwner } from '../../management/budgets.ts';
import { Money } from '../../money/money.ts';
import { intervals, windowEnd, windowsAt, type Interval } from '../../money/periods.ts';
import { nowMs } from '../../platform/clock.ts';
import type { Counter } from '../../store/counters/counters.ts';
import type { Limits, LimitTimes } from '../../store/counters/limits.ts';
import type { Privacy } from '../../store/accounts/privacy.ts';
import type { BudgetBody, BudgetPeriod, PeriodUsage, PrivacyBody } from './shape.ts';

/** Limits with their times. If a limit has no stored time, the owner's creation time is used. */
export interface SetLimits {
  limits: Limits;
  limitTimes: LimitTimes;
  createdAt: string;
}

/** Returns the spending in the current periods, all from the same moment. */
export function periodUsage(counter: Counter): PeriodUsage {
  const windows = windowsAt(nowMs());
  return {
    usage: counter.spent(windows.lifetime),
    usage_daily: counter.spent(windows.daily),
    usage_weekly: counter.spent(windows.weekly),
    usage_monthly: counter.spent(windows.monthly),
  };
}

/**
 * Converts budgets to the API's format.
 * @param counter counter of the owner's scope: settled amounts are the spending, and held amounts also reduce the
 *   remaining amounts
 */
export function budgetViews(owner: BudgetOwner, set: SetLimits, counter: Counter): BudgetBody[] {
  return budgetPeriods(set, counter).map((period) => ({
    id: budgetId(owner, period.interval),
    workspace_id: owner.workspaceId,
    ...(owner.memberId === undefined ? {} : { member_id: owner.memberId }),
    limit_usd: null,
    reset_interval: period.interval === 'lifetime' ? null : period.interval,
    ...period,
  }));
}

/** Returns the periods that have a limit, from daily to lifetime. See `budgetViews`. */
export function budgetPeriods({ limits, limitTimes, createdAt }: SetLimits, counter: Counter): BudgetPeriod[] {
  const atMs = nowMs();
  const windows = windowsAt(atMs);
  return intervals.flatMap((interval) => {
    const limit = limits[interval];
    if (!limit) return [];
    const window = windows[interval];
    const end = windowEnd(interval, atMs);
    return {
      interval,
      limit_rub: limit.toString(),
      spend_rub: counter.spent(window).toString(),
      remaining_rub: Money.max(Money.zero, limit.minus(counter.committed(window))).toString(),
      resets_at: end === null ? null : new Date(end).toISOString(),
      created_at: limitTimes[interval]?.created ?? createdAt,
      updated_at: limitTimes[interval]?.updated ?? createdAt,
    };
  });
}

/**
 * Returns a UUID of version 8 (RFC 9562 §5.8). It is derived from the names of the scope and interval, so it never
 * changes.
 */
function budgetId(owner: BudgetOwner, interval: Interval): string {
  const bytes = createHash('sha256').update(`budget#${owner.scope.kind}#${owner.scope.id}#${interval}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

export function privacyView(privacy: Privacy): PrivacyBody {
  const { version, blockLogging, blockTraining, allowedProviders, ignoredProviders } = privacy;
  return { version, blockLogging, blockTraining, allowedProviders, ignoredProviders };
}
