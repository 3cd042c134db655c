import type { Model } from '../catalog/catalog.ts';
import { clientHasLeft, forbidden, GatewayError, toGatewayError, unauthenticated } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { intervals, windowEnd, type Interval } from '../money/periods.ts';
import { refusingInterval, type OwnerKind, type ScopeId } from '../store/counters/counters.ts';
import { isTagKind, tagOfScope } from '../store/counters/tag-scopes.ts';
import { claimRefusal } from './request-claim.ts';
import { freeRefusalError } from './free/free-refusal.ts';
import type { HoldRefusal } from './hold.ts';
import type { NoRoom } from './no-room.ts';
import { rateRefusalError } from './rates/rate-refusal.ts';

export const limitSourceNames = [
  'key_limit',
  'workspace_budget',
  'member_budget',
  'account_balance',
  'account_limit',
  'tag_budget',
] as const;
export type LimitSource = (typeof limitSourceNames)[number];

interface LimitTexts {
  source: LimitSource;
  owner: string;
  remedy: string;
  /** Tag with this budget, for example `project=lake`; absent for other limits. */
  tag?: string;
}

const limitSources: Record<OwnerKind, LimitTexts> = {
  key: { source: 'key_limit', owner: 'the limit of this key', remedy: 'raise the limit of the key' },
  workspace: {
    source: 'workspace_budget',
    owner: 'the budget of the workspace',
    remedy: 'raise the budget of the workspace',
  },
  member: { source: 'member_budget', owner: 'the budget of the member', remedy: 'raise the budget of the member' },
  account: { source: 'account_balance', owner: 'the balance of the account', remedy: 'top up the account' },
};

const creditLimit: LimitTexts = {
  source: 'account_limit',
  owner: 'the credit limit of the account',
  remedy: 'have the credit limit of the account raised',
};

/** Returns the texts for a limit of a scope. An account's lifetime limit is its balance. */
export function sourceOf(scope: ScopeId, interval: Interval): LimitTexts {
  const { kind } = scope;
  if (isTagKind(kind)) return tagBudget(scope);
  return kind === 'account' && interval !== 'lifetime' ? creditLimit : limitSources[kind];
}

function tagBudget(scope: ScopeId): LimitTexts {
  const { name, value } = tagOfScope(scope);
  const tag = `${name}=${value}`;
  return {
    source: 'tag_budget',
    owner: `the budget of the tag ${tag}`,
    remedy: `raise the budget of the tag ${tag}`,
    tag,
  };
}

function limitNames(source: LimitSource, tag: string | undefined): { limit_source: LimitSource; limit_tag?: string } {
  return { limit_source: source, ...(tag === undefined ? {} : { limit_tag: tag }) };
}

/** Value of Retry-After in seconds. */
const RETRY_AFTER_SECONDS = '3';

export interface Room {
  interval: Interval;
  limit: Money;
  spent: Money;
  /** Amount held for running requests. */
  held: Money;
  /** Smallest room of all limits, after spending and holds; never below zero. `leftWithoutHolds` ignores the holds. */
  left: Money;
  leftWithoutHolds: Money;
}

export function roomOf({ counter, windows, amount }: NoRoom): Room {
  const interval = refusingInterval(counter, windows, amount) ?? 'lifetime';
  const limited = intervals.flatMap((name) => {
    const limit = counter.limits[name];
    return limit ? [{ limit, spent: counter.spent(windows[name]), committed: counter.committed(windows[name]) }] : [];
  });
  const spent = counter.spent(windows[interval]);
  return {
    interval,
    limit: counter.limits[interval] ?? Money.zero,
    spent,
    held: counter.committed(windows[interval]).minus(spent),
    left: least(limited.map(({ limit, committed }) => limit.minus(committed))),
    leftWithoutHolds: least(limited.map((of) => of.limit.minus(of.spent))),
  };
}

/** Returns the minimum, but never less than zero. */
function least([first = Money.zero, ...rest]: Money[]): Money {
  return Money.max(Money.zero, Money.min(first, ...rest));
}

/** Returns whether every limit would have room without holds, so that a short wait may be enough. */
export function isHeldOnly(refusal: NoRoom): boolean {
  const { leftWithoutHolds } = roomOf(refusal);
  return !leftWithoutHolds.isZero && !refusal.amount.exceeds(leftWithoutHolds);
}

/**
 * Returns whether other requests hold money that may be released.
 * @param own amount held by this request
 */
export function isHeldByOthers(refusal: NoRoom, own: Money): boolean {
  return roomOf(refusal).held.exceeds(own);
}

export type AdmissionRefusal = HoldRefusal | { kind: 'client_left' };

/** Returns the candidates to which a refusal does not apply; undefined if it applies to all or to none. */
export function notRefused<Candidate extends { model: Model }>(
  candidates: readonly Candidate[],
  refusal: AdmissionRefusal,
): Candidate[] | undefined {
  const others = candidates.filter(({ model }) => !isRefused(model, refusal));
  return others.length === 0 || others.length === candidates.length ? undefined : others;
}

/** Returns whether a refusal applies to a model. A refusal of the request itself applies to all models. */
function isRefused({ id, data }: Model, refusal: AdmissionRefusal): boolean {
  switch (refusal.kind) {
    case 'free_requests':
    case 'free_budget':
      return refusal.models.includes(id);
    case 'no_room':
      return !data.service_free;
    default:
      return true;
  }
}

export interface RefusedRequest {
  atMs: number;
  /** Part of the amount for the prompt; undefined if the amount is not split, as for a video. */
  inputAmount?: Money;
  /** Whether the prompt was counted. If not, the amounts are upper bounds from bytes, often several times the cost. */
  isPromptCounted?: boolean;
  /** Value of `max_tokens` that the remaining room would pay for; 0 or absent if no useful value exists. */
  affordableTokens?: number;
}

export interface Shortening {
  refusal: NoRoom;
  maxTokens: number;
}

/** Creates the error for an answer that had to be shorter than requested. */
export function shortenedError({ refusal, maxTokens }: Shortening): GatewayError {
  const { interval, limit } = roomOf(refusal);
  const { source, owner, remedy, tag } = sourceOf(refusal.scope, interval);
  return new GatewayError(
    'payment_required',
    `The answer was limited to ${maxTokens} tokens, thinking included: ${owner} (${limit} RUB${periodOf(interval)}) had no ` +
      `room for more tokens when the answer began. You can ${remedy}.`,
    {
      metadata: {
        ...limitNames(source, tag),
        interval,
        limit_rub: limit.toString(),
        allowed_max_tokens: maxTokens,
      },
    },
  );
}

/** Creates the error for an answer that ended because its hold could not be extended. */
export function outOfMoneyError(refusal: HoldRefusal, atMs: number): GatewayError {
  if (refusal.kind !== 'no_room') return refusalError(refusal, { atMs });
  const { interval, limit, spent } = roomOf(refusal);
  const { source, owner, remedy, tag } = sourceOf(refusal.scope, interval);
  const resetsAt = resetTime(interval, atMs);
  return new GatewayError(
    'payment_required',
    `The answer ends here: ${owner} (${limit} RUB${periodOf(interval)}) has no room for more tokens. ` +
      `You can ${remedy}${resetsAt ? `, or wait until ${resetsAt}` : ''}.`,
    {
      metadata: {
        ...limitNames(source, tag),
        interval,
        limit_rub: limit.toString(),
        spend_rub: spent.toString(),
        resets_at: resetsAt,
      },
    },
  );
}

/** Creates the error of a refusal: a 402 with amounts if a spending limit refused the request. */
export function refusalError(refusal: AdmissionRefusal, request: RefusedRequest): GatewayError {
  switch (refusal.kind) {
    case 'no_room':
      return spendingRefusal(refusal, request);
    case 'switched_off':
      return refusal.scope === 'account'
        ? forbidden('The operator suspended or closed this account, so it cannot spend. Contact the operator.')
        : unauthenticated('This API key was disabled during the request. Use another key.');
    case 'settled':
      return new GatewayError('timeout', 'The answer took longer than the gateway waits. Request a shorter answer.');
    case 'busy':
      return toGatewayError(refusal.cause);
    case 'free_requests':
    case 'free_budget':
      return freeRefusalError(refusal);
    case 'rate':
      return rateRefusalError(refusal);
    case 'claimed':
      return claimRefusal(refusal.known, { fingerprint: refusal.fingerprint, generation: undefined })!;
    case 'client_left':
      return clientHasLeft();
  }
}

function spendingRefusal(refusal: NoRoom, request: RefusedRequest): GatewayError {
  const { interval, limit, spent, held, left } = roomOf(refusal);
  const { amount, scope } = refusal;
  const { inputAmount, isPromptCounted = false, affordableTokens: affordable = 0 } = request;
  const { source, owner, remedy, tag } = sourceOf(scope, interval);
  const resetsAt = resetTime(interval, request.atMs);
  const isHeld = isHeldOnly(refusal);
  const advice = [
    ...(affordable > 0 ? [`lower max_tokens to ${affordable}`] : []),
    remedy,
    ...(isHeld ? [`wait for the requests in flight, which hold ${held} RUB`] : []),
    ...(resetsAt ? [`wait until ${resetsAt}`] : []),
  ];
  return new GatewayError(
    'payment_required',
    `To begin, this request needs ${neededAmount(amount, request)}, and ${owner} ` +
      `${limit.isZero ? 'is 0 RUB' : `(${limit} RUB${periodOf(interval)}) has ${left} RUB left`}. ` +
      `You can ${advice.join(', or ')}.`,
    {
      metadata: {
        ...limitNames(source, tag),
        interval,
        limit_rub: limit.toString(),
        spend_rub: spent.toString(),
        held_rub: held.toString(),
        remaining_rub: left.toString(),
        required_rub: amount.toString(),
        ...(inputAmount
          ? {
              required_input_rub: inputAmount.toString(),
              required_output_rub: amount.minus(inputAmount).toString(),
              prompt_counted: isPromptCounted,
            }
          : {}),
        resets_at: resetsAt,
        ...(affordable > 0 ? { affordable_max_tokens: affordable } : {}),
      },
      // The header `x-should-retry` is needed, because clients do not retry a 402 automatically without it.
      ...(isHeld ? { headers: { 'retry-after': RETRY_AFTER_SECONDS, 'x-should-retry': 'true' } } : {}),
    },
  );
}

/**
 * Names the amount of the prompt only if its tokens were counted. Otherwise it is an upper bound, which the client
 * would take for the price.
 */
function neededAmount(amount: Money, { inputAmount, isPromptCounted }: RefusedRequest): string {
  if (!inputAmount || inputAmount.isZero) return `${amount} RUB`;
  if (!isPromptCounted) return `at most ${amount} RUB (its prompt was not counted; the unused part is released)`;
  return `${amount} RUB (at most ${inputAmount} for its prompt, and ${amount.minus(inputAmount)} for its answer or the first part of it; the unused part is released)`;
}

function periodOf(interval: Interval): string {
  return interval === 'lifetime' ? '' : ` ${interval}`;
}

function resetTime(interval: Interval, atMs: number): string | null {
  const end = windowEnd(interval, atMs);
  return end === null ? null : new Date(end).toISOString();
}
