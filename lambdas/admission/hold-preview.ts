/**
 * Predicts the hold of a request under the current limits, without writes. A moment later, other requests may have
 * spent the money.
 */

import { Money } from '../money/money.ts';
import { intervals, windowsAt, type Interval, type Windows } from '../money/periods.ts';
import { hasRoomIn, readCounter, refusingInterval, type Counter, type Scope } from '../store/counters/counters.ts';
import { isLimited } from '../store/counters/limits.ts';
import type { Table } from '../store/table/table.ts';
import { holdOrRefuse, holdRequest, type Admission, type Tried } from './admit.ts';
import { previewFreeUse, type FreeRefusal, type FreeRoom } from './free/free-tier.ts';
import type { HoldRequest, HoldResult } from './hold.ts';
import { noRoom, refusalOfFirstHold, type NoRoom } from './no-room.ts';
import { sourceOf, type LimitSource } from './refusal.ts';
import type { SpendingPlan } from './spending-plan.ts';

export interface LimitRoom {
  source: LimitSource;
  tag: string | undefined;
  interval: Interval;
  limit: Money;
  remaining: Money;
  /** Whether the limit has room for the request. Also true if the limit does not apply to the request. */
  admits: boolean;
}

export interface HoldPreview {
  tried: Tried;
  /** Amount of the first hold; if a limit has no room, the amount that the refusal states. */
  amount: Money;
  limits: LimitRoom[];
  freeLimits: FreeRoom[];
}

interface CountedScope {
  scope: Scope;
  counter: Counter;
}

/**
 * Predicts the hold of a request, without waiting for the holds of other requests.
 * @param scopes all scopes of the payer, including those that do not apply to this request
 */
export async function previewHold(table: Table, admission: Admission, scopes: readonly Scope[]): Promise<HoldPreview> {
  const { request } = admission;
  const windows = windowsAt(request.generation.createdAtMs);
  const counted = await Promise.all(
    scopes
      .filter(({ limits }) => isLimited(limits))
      .map(async (scope): Promise<CountedScope> => ({ scope, counter: await readCounter(table, scope) })),
  );
  const free = request.free && (await previewFreeUse(table, request.free));
  const counting = counted.filter(({ scope }) => request.scopes.includes(scope));
  const place = (plan: SpendingPlan) =>
    Promise.resolve(previewedHold(counting, windows, holdRequest(request, plan), free?.refused));
  const tried = await holdOrRefuse({ ...admission, receivedAtMs: -Infinity, clientLeft: undefined }, place);
  const amount = amountOf(tried);
  const limits = counted.flatMap((one) => limitRooms(one, windows, counting.includes(one) ? amount : undefined));
  return { tried, amount, limits, freeLimits: free?.rooms ?? [] };
}

function previewedHold(
  counting: readonly CountedScope[],
  windows: Windows,
  request: HoldRequest,
  freeRefusal: FreeRefusal | undefined,
): HoldResult {
  const refusals: NoRoom[] = [];
  for (const { scope, counter } of counting) {
    if (!counter.active) return { refused: { kind: 'switched_off', scope: scope.kind }, isUncertain: false };
    if (refusingInterval(counter, windows, request.amount) === undefined) continue;
    refusals.push(noRoom(scope, counter, request));
  }
  if (refusals.length > 0) return { refused: refusalOfFirstHold(refusals), isUncertain: false };
  if (freeRefusal) return { refused: freeRefusal, isUncertain: false };
  const scopes = counting.map(({ scope }) => scope);
  const kinds = scopes.map(({ kind }) => kind);
  const hold = { amount: request.amount, steps: 1, scopes: kinds, serviceHolds: [], rateHolds: [] };
  return { placed: { hold, scopes } };
}

function amountOf(tried: Tried): Money {
  const refusal = 'refused' in tried ? tried.refused.refusal : undefined;
  return refusal?.kind === 'no_room' ? refusal.amount : tried.plan.amount;
}

/** Returns the room of each limit of a scope. `amount` is undefined if the scope does not apply to the request. */
function limitRooms({ scope, counter }: CountedScope, windows: Windows, amount: Money | undefined): LimitRoom[] {
  return intervals.flatMap((interval): LimitRoom[] => {
    const limit = counter.limits[interval];
    if (!limit) return [];
    const { source, tag } = sourceOf(scope, interval);
    const remaining = Money.max(Money.zero, limit.minus(counter.committed(windows[interval])));
    const admits = amount === undefined || hasRoomIn(interval, counter, windows, amount);
    return [{ source, tag, interval, limit, remaining, admits }];
  });
}
