import type { Model } from '../catalog/catalog.ts';
import { clientHasLeft, forbidden, GatewayError, toGatewayError, unauthenticated } from '../platform/errors.ts';
import { Money } from '../money/money.ts';
import { intervals, windowEnd, type Interval } from '../money/periods.ts';
import { refusingInterval, type OwnerKind, type ScopeId } from '../store/counters/counters.ts';
import { isTagKind, tagOfScope } from '../store/counters/tag-scopes.ts';
import { claimRefusal } from './request-claim.ts';
import { freeRefusalError } from './free/free-refusal.ts';
import type { HoldRefusal } from './hold.ts';
import { rateRefusalError } from './rates/rate-refusal.ts';

/** Names of the limits on a payer's spending. */
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
  /** Tag whose budget it is, for example `project=lake`; absent for other limits. */
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

/** Limit of a postpaid account for a period. */
const creditLimit: LimitTexts = {
  source: 'account_limit',
  owner: 'the credit limit of the account',
  remedy: 'have the credit limit of the account raised',
};

/**
 * Returns the names of a scope's limit for error messages.
 * @param interval interval of the limit; an account's lifetime limit is its balance
 */
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

/** Returns the fields of an error's metadata that name the limit. */
function limitNames(source: LimitSource, tag: string | undefined): { limit_source: LimitSource; limit_tag?: string } {
  return { limit_source: source, ...(tag === undefined ? {} : { limit_tag: tag }) };
}

/** Value of Retry-After in seconds. Most running requests are settled within seconds. */
const RETRY_AFTER_SECONDS = '3';

/** Remaining room of a scope (key, workspace, member, account or tag) that refused a hold. */
export interface Room {
  interval: Interval;
  limit: Money;
  spent: Money;
  /** Amount held for running requests. Most of it is released later. */
  held: Money;
  /**
   * Smallest room of all the scope's limits, after spending and holds; never below zero. `leftWithoutHolds` ignores the
   * holds.
   */
  left: Money;
  leftWithoutHolds: Money;
}

export type NoRoom = Extract<HoldRefusal, { kind: 'no_room' }>;

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

/** Returns the smallest of some amounts, but never less than zero. */
function least([first = Money.zero, ...rest]: Money[]): Money {
  return Money.max(Money.zero, Money.min(first, ...rest));
}

/**
 * Returns whether every limited period (such as a day or a month) would have room without the holds of running
 * requests. A short wait may then be enough.
 */
export function isHeldOnly(refusal: NoRoom): boolean {
  const { leftWithoutHolds } = roomOf(refusal);
  return !leftWithoutHolds.isZero && !refusal.amount.exceeds(leftWithoutHolds);
}

/**
 * Returns whether other running requests hold money that may be released.
 * @param own amount held by this request
 */
export function isHeldByOthers(refusal: NoRoom, own: Money): boolean {
  return roomOf(refusal).held.exceeds(own);
}

/** Reason why a request is not admitted: its hold was refused, or its client disconnected. */
export type AdmissionRefusal = HoldRefusal | { kind: 'client_left' };

/**
 * Returns the candidates to which a refusal does not apply. Returns undefined if it applies to all candidates or to
 * none.
 */
export function notRefused<Candidate extends { model: Model }>(
  candidates: readonly Candidate[],
  refusal: AdmissionRefusal,
): Candidate[] | undefined {
  const others = candidates.filter(({ model }) => !isRefused(model, refusal));
  return others.length === 0 || others.length === candidates.length ? undefined : others;
}

/** Returns whether a refusal applies to this model. A refusal of the request itself applies to all models. */
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

/** Facts of the request for the error message of a refusal, in addition to the amounts of the scope. */
export interface RefusedRequest {
  atMs: number;
  /**
   * Part of the amount for the prompt; undefined if the amount is not split, as for a video or the extension of a hold.
   */
  inputAmount?: Money;
  /**
   * Whether the prompt was counted. If not, the amounts are upper bounds from the bytes of the prompt, often several
   * times its cost.
   */
  isPromptCounted?: boolean;
  /**
   * Value of `max_tokens` that the remaining room would pay for in this request; 0 or absent if it is too small to be
   * useful.
   */
  affordableTokens?: number;
}

/** A limit on the length of an answer, shorter than requested, because a scope had no room for more. */
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

/**
 * Creates the error of a refusal. If a spending limit refused the request, the error is a 402 with the amounts that a
 * person needs to react.
 */
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
      // Clients retry a 402 automatically only if the header `x-should-retry` allows it.
      ...(isHeld ? { headers: { 'retry-after': RETRY_AFTER_SECONDS, 'x-should-retry': 'true' } } : {}),
    },
  );
}

/**
 * Returns the needed amount for the error message. Names the amount of the prompt only if its tokens were counted.
 * Otherwise the amount is an upper bound from the size in bytes, which the client would take for the price.
 */
function neededAmount(amount: Money, { inputAmount, isPromptCounted }: RefusedRequest): string {
  // A free prompt needs no count.
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
