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

/** A request that asks for its first hold. */
export interface Admission {
  request: Omit<HoldRequest, 'amount'>;
  plan: SpendingPlan;
  /** Counts the prompt exactly; undefined when that is not possible, or does not help. Called once, before a refusal. */
  recount: () => Promise<SpendingPlan | undefined>;
  /** The smallest valid `max_tokens`, e.g. more than a thinking budget; Infinity where an answer cannot be shorter. */
  minMaxTokens: number;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  /** The client has left; undefined where that cannot be noticed. */
  clientLeft: AbortSignal | undefined;
  /** The request waits for `recorded` of what is admitted before anything of its answer goes out; others are admitted when that is done. */
  recordsBeside?: boolean | undefined;
}

/** The result of trying to hold, and the plan of the last try. */
export type Tried = { plan: SpendingPlan } & (
  | { placed: PlacedHold; recording: Promise<void> | undefined; shortened: Shortening | undefined }
  | { refused: { refusal: AdmissionRefusal; request: RefusedRequest } }
);

/** A hold that stands. Whoever fails before anything is sent to a provider gives it back with `releaseUnknown`. */
export interface Admitted {
  generation: HoldRequest['generation'];
  /** Keeps the answer inside the hold that was placed. */
  extender: HoldExtender;
  /** What was held for: the plan that was asked for, or one that is more exact or shorter. */
  plan: SpendingPlan;
  /** Why the answer may only be as long as this plan says, as the client reads it; undefined when it may be as long as was asked for. */
  shortened: GatewayError | undefined;
  /** Its record is being written; absent where that is done. Rejects as soon as it is unknown whether it was. */
  recording?: Promise<void> | undefined;
  /**
   * The same, but what it rejects with comes later: by then what was held for the request is released, or left to the sweep where the
   * table cannot be reached, and nothing is to be settled.
   */
  recorded?: Promise<void> | undefined;
}

export interface Refused {
  refusal: AdmissionRefusal;
  /** The refusal as the client reads it. */
  error: GatewayError;
  /**
   * It was uncertain whether the request had placed a hold, so its record now says that it holds nothing. Nothing more can
   * be held under its id.
   */
  isReleased: boolean;
}

/** Requests in flight release most of what they hold within seconds; a client waits about this long without an answer. */
const DEFAULT_PATIENCE_MS = 10_000;

const waitingRoom = new WaitingRoom();

/**
 * Holds the money of a request, and tries all that is fair before it refuses: an exact count of the prompt in place of
 * its bytes, a shorter answer where a longer one could not be watched, and a bounded wait where only the holds of other
 * requests are in the way.
 *
 * Guarantee: nothing is held for a request that is refused, or fails here, also where a try of its hold had no reply and is
 * carried out later: it is released first. While the table takes no write at all, neither can it be released: that is answered with
 * 529, and what such a try may hold is found by the sweep, which charges its prompt.
 * @throws {Error} when it is unknown whether the hold was placed; it is then released.
 */
export async function admit(
  table: Table,
  admission: Admission,
): Promise<{ admitted: Admitted } | { refused: Refused }> {
  const { request } = admission;
  const { generation } = request;
  let isUncertain = false;
  const place = async (plan: SpendingPlan) => {
    // A record of an earlier try would be found in place of this one.
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
    const { refusal, request: told } = result.refused;
    return { refused: { refusal, error: refusalError(refusal, told), isReleased: isUncertain } };
  } catch (error) {
    await releaseUnknown(table, generation);
    throw error;
  }
}

/**
 * The candidates for which a refused request may still be held: those that the refusal is not about, where it is about some.
 * @throws {GatewayError} the refusal, where there are none; where there are, and nothing more can be held under the request's id, the
 *   client may ask again
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

/** Whoever has failed by then may not look at it any more. */
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
 * All that is tried before a request is refused, whatever a try is.
 * @param place tries to hold what a plan says
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
      // No prompt is counted when the answer alone is too dear.
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

/** The estimate never exceeds what is held: an estimate from the prompt's size may be larger than its count. */
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

/** The refusal, with the numbers of the smallest request that would be admitted. */
function toRefused(
  refusal: AdmissionRefusal,
  admission: Admission,
  plan: SpendingPlan,
  isPromptCounted: boolean,
): Tried {
  const atMs = admission.request.generation.createdAtMs;
  // A video has no tokens, so there is no prompt and no answer to tell apart.
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

/** A smaller max_tokens that would really fit; 0 where there is none. */
function worthAdvising(plan: SpendingPlan, left: Money, minMaxTokens: number): number {
  const tokens = affordableTokens(plan, left);
  const maxTokens = tokens - beyondMaxTokens(plan);
  return maxTokens >= minMaxTokens && tokens < maxAnswerTokens(plan) ? maxTokens : 0;
}
