import { estimateWithin } from '../accounting/input-estimate.ts';
import { releaseUnknown } from '../accounting/release.ts';
import type { Model } from '../catalog/catalog.ts';
import { Money } from '../money/money.ts';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import type { GatewayError } from '../platform/errors.ts';
import type { Table } from '../store/table/table.ts';
import { StoreBusyError } from '../store/table/transact.ts';
import { HoldExtender } from './hold-extender.ts';
import { placeHold, type HoldRequest, type HoldResult, type PlacedHold } from './hold.ts';
import {
  isHeldOnly,
  notRefused,
  refusalError,
  roomOf,
  shortenedError,
  type AdmissionRefusal,
  type RefusedRequest,
  type Shortening,
} from './refusal.ts';
import {
  affordableTokens,
  beyondMaxTokens,
  minAmount,
  maxAnswerTokens,
  maxTokensOf,
  shortened,
  shortest,
  type Quote,
  type SpendingPlan,
} from './spending-plan.ts';
import { WaitingRoom, type Waiter } from './waiting-room.ts';

export interface Admission {
  request: Omit<HoldRequest, 'amount'>;
  plan: SpendingPlan;
  /**
   * Counts the prompt's tokens, and returns a plan with the count. Returns undefined if the prompt cannot be counted,
   * or a count does not help.
   */
  recount: () => Promise<SpendingPlan | undefined>;
  /**
   * Smallest `max_tokens` that is valid for the request, for example one more than its thinking budget. Infinity if the
   * answer cannot be shortened.
   */
  minMaxTokens: number;
  /** performance.now() when the request was received. */
  receivedAtMs: number;
  /** Aborts when the client disconnects; undefined if the process cannot detect that. */
  clientLeft: AbortSignal | undefined;
  /** True if the caller waits for `Admitted.recorded` before it sends any of the answer to the client. */
  recordsLater?: boolean | undefined;
}

export type Tried = { plan: SpendingPlan } & (
  | { placed: PlacedHold; recording: Promise<void> | undefined; shortened: Shortening | undefined }
  | { refused: { refusal: AdmissionRefusal; request: RefusedRequest } }
);

/**
 * An admitted request with its hold. A caller that fails before it sends anything to a provider must release the hold
 * with `releaseUnknown`.
 */
export interface Admitted {
  generation: HoldRequest['generation'];
  extender: HoldExtender;
  /** Plan of the placed hold; its prompt count or answer may be smaller than requested. */
  plan: SpendingPlan;
  /** Error that explains to the client why the answer must be shorter than requested. */
  shortened: GatewayError | undefined;
  /** Pending write of the generation's record; absent if the record was already written at admission. */
  recording?: Promise<void> | undefined;
  /**
   * The same write as `recording`, but it rejects only after the gateway has tried to release the hold. If it rejects,
   * settle nothing.
   */
  recorded?: Promise<void> | undefined;
}

export interface Refused {
  refusal: AdmissionRefusal;
  error: GatewayError;
  /**
   * Whether an earlier attempt may have placed a hold, and the hold was released. The request's id then admits no other
   * hold.
   */
  isReleased: boolean;
}

/** Maximum time in ms from the receipt of a request until it no longer waits for a hold. */
const DEFAULT_PATIENCE_MS = 10_000;

/** Maximum time in ms that a request waits while its key has reached its limit on running requests. */
const PARALLEL_PATIENCE_MS = 2_000;

const waitingRoom = new WaitingRoom();

/**
 * Holds the money of a request. Before it refuses a request because a limit has no room, it tries these alternatives:
 * - a count of the prompt's tokens instead of its bytes
 * - a shorter answer, if part of the output is hidden and cannot be measured while it is written
 * - a bounded wait, if only the holds of other requests are in the way
 *
 * Guarantee: a request that is refused, or fails here, holds nothing. If the result of a hold is unknown, the hold is
 * released first; if the table accepts no writes, the sweep settles it later and charges the prompt.
 * @throws {Error} if an attempt fails, or its result is unknown
 */
export async function admit(
  table: Table,
  admission: Admission,
): Promise<{ admitted: Admitted } | { refused: Refused }> {
  const { request } = admission;
  const { generation } = request;
  let isUncertain = false;
  const place = async (plan: SpendingPlan) => {
    // After an attempt with an unknown result, the record may exist already. `placeHold` then writes the record before
    // it returns, and notices an existing record.
    const recordsLater = admission.recordsLater === true && !isUncertain;
    const result = await placeHold(table, holdRequest(request, plan), { recordsLater });
    if ('refused' in result) isUncertain ||= result.isUncertain;
    return result;
  };
  try {
    const result = await holdOrRefuse(admission, place);
    if ('placed' in result) {
      const { placed, plan, shortened, recording } = result;
      const [quote] = plan.quotes as [Quote];
      const recorded = recording && releasedOnFailure(table, generation, recording);
      const extender = new HoldExtender({ table, request, placed, stepTokens: plan.stepTokens, quote, recorded });
      return {
        admitted: {
          generation,
          extender,
          plan,
          shortened: shortened && shortenedError(shortened),
          recording,
          recorded,
        },
      };
    }
    if (isUncertain && !(await releaseUnknown(table, generation))) throw new StoreBusyError();
    const { refusal, request: refusedRequest } = result.refused;
    return { refused: { refusal, error: refusalError(refusal, refusedRequest), isReleased: isUncertain } };
  } catch (error) {
    await releaseUnknown(table, generation);
    throw error;
  }
}

/**
 * Returns the candidates to which the refusal does not apply.
 * @throws {GatewayError} the refusal, if it applies to all candidates or to none; a busy error, which the client may
 *   retry, if the request's id can hold nothing more
 */
export function remainingCandidates<Candidate extends { model: Model }>(
  candidates: readonly Candidate[],
  { refusal, error, isReleased }: Refused,
): Candidate[] {
  const others = notRefused(candidates, refusal);
  if (!others) throw error;
  if (isReleased) throw new StoreBusyError(error);
  return others;
}

/** Releases the hold if the generation's record cannot be written. */
function releasedOnFailure(
  table: Table,
  generation: Admission['request']['generation'],
  recording: Promise<void>,
): Promise<void> {
  const recorded = recording.catch(async (error: unknown) => {
    await releaseUnknown(table, generation);
    throw error;
  });
  recorded.catch(() => undefined);
  return recorded;
}

/**
 * Tries the fallbacks (prompt count, shorter output, waiting) before it refuses a request because a limit has no room.
 */
export async function holdOrRefuse(
  admission: Admission,
  place: (plan: SpendingPlan) => Promise<HoldResult>,
): Promise<Tried> {
  const { receivedAtMs, clientLeft } = admission;
  const deadlineMs = receivedAtMs + positiveIntegerVariable(variables.holdPatienceMs, DEFAULT_PATIENCE_MS);
  let { plan } = admission;
  let shortened: Shortening | undefined;
  let wasRecounted = false;
  let isCounted = false;
  const refusedWith = (refusal: AdmissionRefusal) => toRefused(refusal, admission, plan, isCounted);
  let waiter: Waiter | undefined;
  let parallelUntilMs: number | undefined;
  try {
    for (;;) {
      const result = await place(plan);
      if ('placed' in result) return { placed: result.placed, recording: result.recording, plan, shortened };
      const { refused } = result;
      if (refused.kind === 'rate' && refused.limited === 'parallel' && !clientLeft?.aborted) {
        parallelUntilMs ??= Math.min(deadlineMs, performance.now() + PARALLEL_PATIENCE_MS);
        waiter = waitingIn(`running#${admission.request.generation.payer.keyHash}`, waiter);
        if (waiter && performance.now() < parallelUntilMs) {
          await waiter.turn(parallelUntilMs);
          continue;
        }
      }
      if (refused.kind !== 'no_room') return refusedWith(refused);
      const { left, leftWithoutHolds } = roomOf(refused);
      // A prompt count cannot help if even the shortest answer is too expensive.
      if (!wasRecounted && !minAmount(plan).exceeds(leftWithoutHolds) && !leftWithoutHolds.isZero) {
        wasRecounted = true;
        const counted = await admission.recount();
        isCounted = counted !== undefined;
        if (counted && plan.amount.exceeds(counted.amount)) {
          plan = counted;
          continue;
        }
      }
      if (clientLeft?.aborted) return refusedWith({ kind: 'client_left' });
      const isPatient = performance.now() < deadlineMs;
      if (isHeldOnly(refused) && isPatient) {
        waiter = waitingIn(`${refused.scope.kind}#${refused.scope.id}`, waiter);
        if (waiter) {
          await waiter.turn(deadlineMs);
          continue;
        }
      }
      const shorter = shortenedTo(plan, isPatient && !isHeldOnly(refused) ? leftWithoutHolds : left);
      if (!shorter) return refusedWith(refused);
      shortened = { refusal: refused, maxTokens: maxAnswerTokens(shorter) };
      plan = shorter;
    }
  } finally {
    waiter?.leave();
  }
}

/**
 * Returns the request's waiter in the queue `name`, after it leaves its earlier queue; undefined if the queue is full.
 */
function waitingIn(name: string, waiter: Waiter | undefined): Waiter | undefined {
  if (waiter?.name === name) return waiter;
  waiter?.leave();
  return waitingRoom.enter(name);
}

/**
 * Builds the request for a hold of the plan's amount. The estimate of the input, which may come from bytes, is limited
 * to the plan's count.
 */
export function holdRequest({ generation, ...request }: Admission['request'], plan: SpendingPlan): HoldRequest {
  const inputEstimate = estimateWithin(generation.inputEstimate, plan.quotes[0]!.bound, generation.pricing);
  const rates = request.rates && { ...request.rates, tokens: maxTokensOf(plan) };
  return { ...request, rates, generation: { ...generation, inputEstimate }, amount: plan.amount };
}

function shortenedTo(plan: SpendingPlan, room: Money): SpendingPlan | undefined {
  const shorter = shortened(plan, room);
  return shorter && plan.amount.exceeds(shorter.amount) ? shorter : undefined;
}

/**
 * Builds the refusal. If even the shortest answer is too expensive, the refusal has the amounts of the shortest answer
 * instead of the requested amounts.
 */
function toRefused(
  refusal: AdmissionRefusal,
  admission: Admission,
  plan: SpendingPlan,
  isPromptCounted: boolean,
): Tried {
  const atMs = admission.request.generation.createdAtMs;
  if (refusal.kind !== 'no_room' || maxAnswerTokens(plan) === 0)
    return { plan, refused: { refusal, request: { atMs } } };
  const { left } = roomOf(refusal);
  const least = shortest(plan);
  const isLeastTooMuch = least.amount.exceeds(left);
  return {
    plan,
    refused: {
      refusal: isLeastTooMuch ? { ...refusal, amount: least.amount } : refusal,
      request: {
        atMs,
        inputAmount: (isLeastTooMuch ? least : plan).inputAmount,
        isPromptCounted,
        affordableTokens: worthAdvising(plan, left, admission.minMaxTokens),
      },
    },
  };
}

/** Returns a smaller `max_tokens` with which the request would be admitted, or 0 if there is none. */
function worthAdvising(plan: SpendingPlan, left: Money, minMaxTokens: number): number {
  const tokens = affordableTokens(plan, left);
  const maxTokens = tokens - beyondMaxTokens(plan);
  return maxTokens >= minMaxTokens && tokens < maxAnswerTokens(plan) ? maxTokens : 0;
}
