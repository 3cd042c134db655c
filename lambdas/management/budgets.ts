import type { Money } from '../money/money.ts';
import { intervals, type Interval } from '../money/periods.ts';
import { nowMs } from '../platform/clock.ts';
import { invalidRequest, notFound } from '../platform/errors.ts';
import { limitWrites } from '../store/counters/counter-parts.ts';
import type { ScopeId } from '../store/counters/counters.ts';
import {
  limitsAttribute,
  limitsFrom,
  limitTimesField,
  type Limits,
  type LimitTimes,
} from '../store/counters/limits.ts';
import { readItem } from '../store/table/query.ts';
import { numberFrom, type Item, type Table } from '../store/table/table.ts';
import { memberKey } from '../store/accounts/members.ts';
import { memberScope } from '../store/accounts/payer.ts';
import { workspaceKey } from '../store/accounts/workspaces.ts';
import { update, type Key } from '../store/table/writes.ts';
import { checkAlertsOf, checkVersion, commitChange, retryOnConflict, type ChangeContext } from './change.ts';

/** Item that has budgets (a workspace or a member), and the scope that counts spending against them. */
export interface BudgetOwner {
  key: Key;
  scope: ScopeId;
  workspaceId: string;
  memberId: string | undefined;
}

export function workspaceBudgets(accountId: string, workspaceId: string): BudgetOwner {
  return {
    key: workspaceKey(accountId, workspaceId),
    scope: { kind: 'workspace', id: workspaceId },
    workspaceId,
    memberId: undefined,
  };
}

export function memberBudgets(workspaceId: string, memberId: string): BudgetOwner {
  return {
    key: memberKey(workspaceId, memberId),
    scope: memberScope(workspaceId, memberId),
    workspaceId,
    memberId,
  };
}

/**
 * Sets or removes one budget. The item and the counter change in one transaction; counted amounts stay.
 *
 * Weakness: holds from open leases may ignore the new limit for a few seconds. The first limit of an owner applies to
 * new requests after a few seconds, and never to a stream that is already running.
 * @param change.limit null removes the budget
 * @throws {GatewayError} 400 if budgets would not rise from daily to lifetime, including budgets that are changed
 *   concurrently; 404 if the owner does not exist; 409 if other changes keep interfering; 412 if the version differs
 *   from `expectedVersion`
 */
export async function setBudget(
  context: ChangeContext,
  owner: BudgetOwner,
  change: { interval: Interval; limit: Money | null; expectedVersion?: number | undefined },
): Promise<{ limits: Limits; limitTimes: LimitTimes; version: number }> {
  const { table } = context;
  return retryOnConflict(async () => {
    const item = await readOwner(table, owner);
    const version = numberFrom(item['version']);
    checkVersion(change.expectedVersion, version);
    const before = limitsFrom(item['limits']);
    const revision = numberFrom(item['revision']);
    const at = new Date(nowMs()).toISOString();
    const set = { limits: before, limitTimes: limitTimesField.read(item), createdAt: String(item['created_at']) };
    const { limits, limitTimes } = withLimit(set, change, at);
    if (sameLimits(limits, before)) return { limits, limitTimes: set.limitTimes, version };
    const outcome = await commitChange(
      context,
      {
        action: change.limit ? 'budget.set' : 'budget.delete',
        target: `${owner.scope.kind} ${owner.scope.id}`,
        before: limitsAttribute(before),
        after: limitsAttribute(limits),
      },
      {
        owner: update(table, owner.key, {
          set: {
            limits: limitsAttribute(limits),
            limit_times: limitTimes,
            revision: revision + 1,
            version: version + 1,
            updated_at: at,
          },
          when: { equal: { revision, version } },
        }),
        ...(await limitWrites(table, owner.scope, { limits, revision: revision + 1 })),
      },
    );
    // Another change came first, perhaps of the limits, so check again that they rise from daily to lifetime.
    if (!outcome.committed) return undefined;
    const { workspaceId, memberId } = owner;
    await checkAlertsOf(context, owner.scope.kind, { workspaceId, memberId });
    return { limits, limitTimes, version: version + 1 };
  });
}

interface SetLimits {
  limits: Limits;
  limitTimes: LimitTimes;
  createdAt: string;
}

/**
 * Returns the limits and their times after one limit was changed.
 * @throws {GatewayError} 400 if the limits would not rise from daily to lifetime
 */
export function withLimit(
  { limits: before, limitTimes: timesBefore, createdAt }: SetLimits,
  { interval, limit }: { interval: Interval; limit: Money | null },
  at: string,
): Pick<SetLimits, 'limits' | 'limitTimes'> {
  const limits: Limits = { ...before };
  const limitTimes = { ...timesBefore };
  if (limit) {
    // An older release did not store times. The creation time of the owner is then used.
    const since = before[interval] ? createdAt : at;
    limits[interval] = limit;
    limitTimes[interval] = { created: limitTimes[interval]?.created ?? since, updated: at };
  } else {
    delete limits[interval];
    delete limitTimes[interval];
  }
  checkOrder(limits);
  return { limits, limitTimes };
}

export function sameLimits(a: Limits, b: Limits): boolean {
  return intervals.every((interval) => a[interval]?.toString() === b[interval]?.toString());
}

/** Throws a 400 unless budgets rise: daily < weekly < monthly < lifetime. */
function checkOrder(limits: Limits): void {
  let previous: { interval: Interval; limit: Money } | undefined;
  for (const interval of intervals) {
    const limit = limits[interval];
    if (!limit) continue;
    if (previous && !limit.exceeds(previous.limit)) {
      throw invalidRequest(
        'limit_rub',
        `the ${interval} limit (${limit} RUB) must be above the ${previous.interval} limit (${previous.limit} RUB); limits rise from daily to lifetime.`,
      );
    }
    previous = { interval, limit };
  }
}

async function readOwner(table: Table, { key }: BudgetOwner): Promise<Item> {
  const item = await readItem(table, key);
  if (!item || item['removed'] === true) throw notFound('There is no workspace or member with this id.');
  return item;
}
