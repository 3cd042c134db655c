import { releaseUnknown } from '../accounting/release.ts';
import { Money } from '../money/money.ts';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import type { Table } from '../store/table.ts';
import { HoldKeeper } from './hold-keeper.ts';
import { placeHold, type HoldRequest } from './hold.ts';
import { isHeldOnly, roomOf, type AdmissionRefusal, type RefusedRequest, type Shortening } from './refusal.ts';
import {
  affordableTokens,
  beyondMaxTokens,
  leastAmount,
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
  /** Counts the prompt exactly; undefined when nobody can, or nothing would come of it. Asked once, before a refusal. */
  recount: () => Promise<SpendingPlan | undefined>;
  /** What `max_tokens` has to be at least, e.g. more than a budget of thinking. */
  leastMaxTokens: number;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  /** The client has left; undefined where nobody can tell. */
  clientLeft: AbortSignal | undefined;
}

export interface Admitted {
  /** Keeps the answer inside the hold that was placed. */
  keeper: HoldKeeper;
  /** What was held for: the plan that was asked for, or one that is exacter or shorter. */
  plan: SpendingPlan;
  /** Why the answer may only be as long as this plan says; undefined when it is the length that was asked for. */
  shortened: Shortening | undefined;
}

/** A refusal, and what there is to say about the request. */
export interface Refused {
  refusal: AdmissionRefusal;
  request: RefusedRequest;
}

/** Requests in flight give back most of what they hold within seconds; a client without any answer waits about so long. */
const DEFAULT_PATIENCE_MS = 10_000;

const waitingRoom = new WaitingRoom();

/**
 * Holds the money of a request, and tries all that is fair before it refuses: an exact count of the prompt in place of
 * its bytes, a shorter answer where nobody could watch a longer one, and, where nothing but the holds of other requests
 * is in the way, a bounded wait.
 *
 * Guarantee: nothing is held for a request that is refused, or fails here.
 * @throws {Error} when nobody could say whether the hold was placed; it is released then.
 */
export async function admit(
  table: Table,
  admission: Admission,
): Promise<{ admitted: Admitted } | { refused: Refused }> {
  try {
    return await holdOrRefuse(table, admission);
  } catch (error) {
    await releaseUnknown(table, admission.request.generation);
    throw error;
  }
}

async function holdOrRefuse(
  table: Table,
  admission: Admission,
): Promise<{ admitted: Admitted } | { refused: Refused }> {
  const { request, receivedAtMs, clientLeft } = admission;
  const deadlineMs = receivedAtMs + positiveIntegerVariable(variables.holdPatienceMs, DEFAULT_PATIENCE_MS);
  let { plan } = admission;
  let shortened: Shortening | undefined;
  let isCounted = false;
  let waiter: Waiter | undefined;
  try {
    for (;;) {
      const result = await placeHold(table, holdRequest(request, plan));
      if ('placed' in result) {
        const [quote] = plan.quotes as [Quote];
        const keeper = new HoldKeeper({ table, request, placed: result.placed, stepTokens: plan.stepTokens, quote });
        return { admitted: { keeper, plan, shortened } };
      }
      const { refused } = result;
      if (refused.kind !== 'no_room') return toRefused(refused, admission, plan);
      const { left, leftWithoutHolds } = roomOf(refused);
      // Nobody is asked to count a prompt for which the answer alone is too dear.
      if (!isCounted && !leastAmount(plan).exceeds(leftWithoutHolds) && !leftWithoutHolds.isZero) {
        isCounted = true;
        const counted = await admission.recount();
        if (counted && plan.amount.exceeds(counted.amount)) {
          plan = counted;
          continue;
        }
      }
      if (clientLeft?.aborted) return toRefused({ kind: 'client_left' }, admission, plan);
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
      if (!shorter) return toRefused(refused, admission, plan);
      shortened = { refusal: refused, maxTokens: longestAnswer(shorter) };
      plan = shorter;
    }
  } finally {
    waiter?.leave();
  }
}

/** Nothing is estimated beyond what is held: a guess from the prompt's size may be larger than its count. */
function holdRequest({ generation, ...request }: Admission['request'], plan: SpendingPlan): HoldRequest {
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

/** The refusal in the numbers of the least that would be admitted. */
function toRefused(refusal: AdmissionRefusal, admission: Admission, plan: SpendingPlan): { refused: Refused } {
  const atMs = admission.request.generation.createdAtMs;
  if (refusal.kind !== 'no_room') return { refused: { refusal, request: { atMs } } };
  const { left } = roomOf(refusal);
  const least = shortest(plan);
  const isLeastTooMuch = least.amount.exceeds(left);
  return {
    refused: {
      refusal: isLeastTooMuch ? { ...refusal, amount: least.amount } : refusal,
      request: {
        atMs,
        inputAmount: (isLeastTooMuch ? least : plan).inputAmount,
        affordableTokens: worthAdvising(plan, left, admission.leastMaxTokens),
      },
    },
  };
}

/** A smaller max_tokens that would really fit; 0 where there is none to advise. */
function worthAdvising(plan: SpendingPlan, left: Money, leastMaxTokens: number): number {
  const tokens = affordableTokens(plan, left);
  const maxTokens = tokens - beyondMaxTokens(plan);
  return maxTokens >= leastMaxTokens && tokens < longestAnswer(plan) ? maxTokens : 0;
}

function longestAnswer({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.outputTokens));
}
