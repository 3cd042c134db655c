import { GatewayError } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { windowEnd, type Interval, type Windows } from '../money/periods.ts';
import { refusingInterval, type Counter, type Scope, type ScopeKind } from '../store/counters.ts';

const limitSources: Record<ScopeKind, { source: string; owner: string; remedy: string }> = {
  key: { source: 'key_limit', owner: 'the limit of this key', remedy: 'raise the limit of the key' },
  workspace: {
    source: 'workspace_budget',
    owner: 'the budget of the workspace',
    remedy: 'raise the budget of the workspace',
  },
  member: { source: 'member_budget', owner: 'the budget of the member', remedy: 'raise the budget of the member' },
  account: { source: 'account_balance', owner: 'the balance of the account', remedy: 'top up the account' },
};

/** Most requests in flight are settled within seconds. */
const RETRY_AFTER_SECONDS = '3';

/**
 * The 402 of a scope without room, with the numbers a person needs to act.
 * @param affordableTokens how many output tokens an amount would pay for in this request
 */
export function spendingRefusal(
  scope: Pick<Scope, 'kind'>,
  counter: Counter,
  windows: Windows,
  request: { amount: Money; atMs: number; affordableTokens: (amount: Money) => number },
): GatewayError {
  const interval = refusingInterval(counter, windows, request.amount) ?? 'lifetime';
  const limit = counter.limits[interval] ?? Money.zero;
  const window = windows[interval];
  const left = limit.minus(counter.committed(window));
  const affordable = request.affordableTokens(left);
  const { source, owner, remedy } = limitSources[scope.kind];
  const resetsAt = resetTime(interval, request.atMs);
  const held = counter.committed(window).minus(counter.spent(window));
  // Without the holds of requests in flight there would be room: waiting a moment may be enough.
  const isHeld = !limit.isZero && !counter.spent(window).plus(request.amount).exceeds(limit);
  const advice = [
    ...(affordable > 0 ? [`lower max_tokens to ${affordable}`] : []),
    remedy,
    ...(isHeld ? [`wait for the requests in flight, which hold ${held} RUB`] : []),
    ...(resetsAt ? [`wait until ${resetsAt}`] : []),
  ];
  return new GatewayError(
    402,
    'payment_required',
    `This request may cost up to ${request.amount} RUB, and ${owner} (${limit} RUB${interval === 'lifetime' ? '' : ` ${interval}`}) has ${left.isNegative ? '0' : left} RUB left. ` +
      `You can ${advice.join(', or ')}.`,
    {
      metadata: {
        limit_source: source,
        interval,
        limit_rub: limit.toString(),
        spend_rub: counter.spent(window).toString(),
        held_rub: held.toString(),
        remaining_rub: left.isNegative ? '0' : left.toString(),
        required_rub: request.amount.toString(),
        resets_at: resetsAt,
        ...(affordable > 0 ? { affordable_max_tokens: affordable } : {}),
      },
      ...(isHeld ? { headers: { 'retry-after': RETRY_AFTER_SECONDS } } : {}),
    },
  );
}

function resetTime(interval: Interval, atMs: number): string | null {
  const end = windowEnd(interval, atMs);
  return end === null ? null : new Date(end).toISOString();
}
