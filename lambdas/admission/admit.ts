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
  shortened,
  shortest,
  type Quote,
  type SpendingPlan,
} from './spending-plan.ts';
import { WaitingRoom, type Waiter } from './waiting-room.ts';

/** A request for its first hold. */
export interface Admission {
  request: Omit<HoldRequest, 'amount'>;
  plan: SpendingPlan;
  /**
   * Counts the prompt exactly. Undefined if it cannot be counted, or if a count does not help. Called once, before a
   * refusal.
   */
  recount: () => Promise<SpendingPlan | undefined>;
  /**
   * The smallest valid `max_tokens`, for example more than a thinking budget. Infinity if the answer cannot be
   * shortened.
   */
  minMaxTokens: number;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  /** Aborted when the client disconnects. Undefined if that cannot be detected. */
  clientLeft: AbortSignal | undefined;
  /**
   * The caller waits for `Admitted.recorded` before it sends any of the answer. Otherwise `admit` waits until the
   * record is written.
   */
  recordsBeside?: boolean | undefined;
}

/** The result of the attempts to hold, and the plan of the last attempt. */
export type Tried = { plan: SpendingPlan } & (
  | { placed: PlacedHold; recording: Promise<void> | undefined; shortened: Shortening | undefined }
  | { refused: { refusal: AdmissionRefusal; request: RefusedRequest } }
);

/** A placed hold. A caller that fails before it sends anything to a provider releases it with `releaseUnknown`. */
export interface Admitted {
  generation: HoldRequest['generation'];
  /** Keeps the answer within the hold. */
  extender: HoldExtender;
  /** The plan that was held: the requested one, a more exact one, or a shorter one. */
  plan: SpendingPlan;
  /** Error that explains to the client why the answer is shorter than requested. Undefined if it is not. */
  shortened: GatewayError | undefined;
  /** Pending write of the record; absent once it is written. Rejects as soon as the result of the write is unknown. */
  recording?: Promise<void> | undefined;
  /**
   * The same write, but it rejects only after the hold is released, or left to the sweep if the table cannot be
   * reached. Nothing is to be settled then.
   */
  recorded?: Promise<void> | undefined;
}

export interface Refused {
  refusal: AdmissionRefusal;
  /** The refusal as the client reads it. */
  error: GatewayError;
  /**
   * The outcome of a hold was uncertain, so the record now says that the request holds nothing. Nothing more can be
   * held under its id.
   */
  isReleased: boolean;
}

/** Requests in flight release most of their holds within seconds. A client waits about this long without a response. */
const DEFAULT_PATIENCE_MS = 10_000;

const waitingRoom = new WaitingRoom();

/**
 * Holds the money of a request. Before it refuses, it tries every fair alternative:
 * - an exact count of the prompt instead of its bytes
 * - a shorter answer, if part of the output is hidden and cannot be watched
 * - a bounded wait, if only the holds of other requests are in the way
 *
 * Guarantee: a request that is refused, or fails here, holds nothing. If the reply to a hold was lost and the write may
 * still be carried out, the hold is released first. If the table takes no writes, it cannot be released: the client
 * gets a 529, and the sweep finds the hold and charges the prompt.
 * @throws {Error} if it is unknown whether the hold was placed; it is then released.
 */
export async function admit(
  table: Table,
  admission: Admission,
): Promise<{ admitted: Admitted } | { refused: Refused }> {
  const { request } = admission;
  const { generation } = request;
  let isUncertain = false;
  const place = async (plan: SpendingPlan) => {
    // A record of an earlier attempt would be found instead of this one.
    const recordsBeside = admission.recordsBeside === true && !isUncertain;
    const result = await placeHold(table, holdRequest(request, plan), { recordsBeside });
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
 * The candidates that the refusal does not concern. They may still be held.
 * @throws {GatewayError} the refusal, if no candidate remains; a busy error, if some remain but nothing more can be
 *   held under the request's id, so that the client may retry
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

/**
 * Releases the hold if its record cannot be written. The caller may have failed by then and no longer handle the
 * rejection.
 */
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
 * Runs every fallback (exact prompt count, shorter output, waiting) before it refuses a request.
 * @param place attempts a hold for a plan
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
  try {
    for (;;) {
      const result = await place(plan);
      if ('placed' in result) return { placed: result.placed, recording: result.recording, plan, shortened };
      const { refused } = result;
      if (refused.kind !== 'no_room') return refusedWith(refused);
      const { left, leftWithoutHolds } = roomOf(refused);
      // The prompt is not counted if the answer alone is too expensive.
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
        const scope = `${refused.scope.kind}#${refused.scope.id}`;
        if (waiter?.name !== scope) {
          waiter?.leave();
          waiter = waitingRoom.enter(scope);
        }
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

/** Limits the estimate to the held amount: an estimate from the prompt's size may be larger than its count. */
export function holdRequest({ generation, ...request }: Admission['request'], plan: SpendingPlan): HoldRequest {
  const { tokens, cost } = generation.inputEstimate;
  const inputEstimate = {
    tokens: Math.min(tokens, ...plan.quotes.map(({ bound }) => bound.promptTokens)),
    cost: Money.min(cost, plan.inputAmount),
  };
  return { ...request, generation: { ...generation, inputEstimate }, amount: plan.amount };
}

function shortenedTo(plan: SpendingPlan, room: Money): SpendingPlan | undefined {
  const shorter = shortened(plan, room);
  return shorter && plan.amount.exceeds(shorter.amount) ? shorter : undefined;
}

/** The refusal, with the amounts of the smallest request that would be admitted. */
function toRefused(
  refusal: AdmissionRefusal,
  admission: Admission,
  plan: SpendingPlan,
  isPromptCounted: boolean,
): Tried {
  const atMs = admission.request.generation.createdAtMs;
  // A video has no tokens, so its amount is not split into prompt and answer.
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

/** A smaller `max_tokens` that would be admitted; 0 if there is none. */
function worthAdvising(plan: SpendingPlan, left: Money, minMaxTokens: number): number {
  const tokens = affordableTokens(plan, left);
  const maxTokens = tokens - beyondMaxTokens(plan);
  return maxTokens >= minMaxTokens && tokens < maxAnswerTokens(plan) ? maxTokens : 0;
}
