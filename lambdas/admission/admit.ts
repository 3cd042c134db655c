import { Money } from '../money/money.ts';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import { GatewayError } from '../platform/errors.ts';
import type { Table } from '../store/table.ts';
import { placeHold, type HoldRefusal, type HoldRequest, type PlacedHold } from './hold.ts';
import { isHeldOnly, refusalError, roomOf, shortenedError, type NoRoom } from './refusal.ts';
import {
  affordableTokens,
  beyondMaxTokens,
  leastAmount,
  shortened,
  shortest,
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
  placed: PlacedHold;
  /** What was held for: the plan that was asked for, or one that is exacter or shorter. */
  plan: SpendingPlan;
  /** Why the answer may only be as long as this plan says; undefined when it is the length that was asked for. */
  shortenedBy: Error | undefined;
}

/** Requests in flight give back most of what they hold within seconds; a client without any answer waits about so long. */
const DEFAULT_PATIENCE_MS = 10_000;

const waitingRoom = new WaitingRoom();

/**
 * Holds the money of a request, and tries all that is fair before it refuses: an exact count of the prompt in place of
 * its bytes, a shorter answer where nobody could watch a longer one, and, where nothing but the holds of other requests
 * is in the way, a bounded wait.
 * @throws {GatewayError} 402 without room, 401 when a scope was switched off; {StoreBusyError}; and whatever leaves open
 * whether the hold was placed
 */
export async function admit(table: Table, admission: Admission): Promise<Admitted> {
  const { request, receivedAtMs, clientLeft } = admission;
  const deadlineMs = receivedAtMs + positiveIntegerVariable(variables.holdPatienceMs, DEFAULT_PATIENCE_MS);
  let { plan } = admission;
  let shortenedBy: Error | undefined;
  let isCounted = false;
  let waiter: Waiter | undefined;
  try {
    for (;;) {
      const result = await placeHold(table, holdRequest(request, plan));
      if ('placed' in result) return { placed: result.placed, plan, shortenedBy };
      const { refused } = result;
      if (refused.kind !== 'no_room') throw toError(refused, admission, plan);
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
      if (clientLeft?.aborted) throw new GatewayError('timeout', 'The client has left.', { status: 408 });
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
      if (!shorter) throw toError(refused, admission, plan);
      shortenedBy = shortenedError(refused, longestAnswer(shorter));
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
function toError(refused: HoldRefusal, { request, leastMaxTokens }: Admission, plan: SpendingPlan): Error {
  const least = shortest(plan);
  const isLeastTooMuch = refused.kind === 'no_room' && least.amount.exceeds(roomOf(refused).left);
  const told: HoldRefusal = isLeastTooMuch ? ({ ...refused, amount: least.amount } satisfies NoRoom) : refused;
  return refusalError(told, {
    atMs: request.generation.createdAtMs,
    inputAmount: (isLeastTooMuch ? least : plan).inputAmount,
    affordableTokens: (amount) => {
      // Only worth saying when a smaller max_tokens would really fit.
      const tokens = affordableTokens(plan, amount);
      const maxTokens = tokens - beyondMaxTokens(plan);
      return maxTokens >= leastMaxTokens && tokens < longestAnswer(plan) ? maxTokens : 0;
    },
  });
}

function longestAnswer({ quotes }: SpendingPlan): number {
  return Math.max(...quotes.map(({ bound }) => bound.outputTokens));
}
