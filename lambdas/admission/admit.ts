import { setTimeout as sleep } from 'node:timers/promises';
import { positiveIntegerVariable, variables } from '../platform/environment.ts';
import type { Table } from '../store/table.ts';
import { placeHold, type HoldRefusal, type HoldRequest, type PlacedHold } from './hold.ts';
import { isHeldOnly, refusalError, roomOf } from './refusal.ts';
import { affordableTokens, shortened, type SpendingPlan } from './spending-plan.ts';

/** A request that asks for its first hold. */
export interface Admission {
  request: Omit<HoldRequest, 'amount'>;
  plan: SpendingPlan;
  /** Counts the prompt exactly; undefined when nobody can, or nothing would come of it. Asked once, before a refusal. */
  recount: () => Promise<SpendingPlan | undefined>;
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
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 500;

/**
 * Holds the money of a request, and tries all that is fair before it refuses: an exact count of the prompt in place of
 * its bytes, a shorter answer where nobody could watch a longer one, and, where nothing but the holds of other requests
 * is in the way, a bounded wait.
 * @throws {GatewayError} 402 without room, 401 when a scope was switched off; {StoreBusyError}; and whatever leaves open
 * whether the hold was placed
 */
export async function admit(table: Table, { request, plan: asked, recount }: Admission): Promise<Admitted> {
  const deadlineMs = performance.now() + positiveIntegerVariable(variables.holdPatienceMs, DEFAULT_PATIENCE_MS);
  let plan = asked;
  let shortenedBy: Error | undefined;
  let isCounted = false;
  for (let waitMs = FIRST_WAIT_MS; ;) {
    const result = await placeHold(table, { ...request, amount: plan.amount });
    if ('placed' in result) return { placed: result.placed, plan, shortenedBy };
    const { refused } = result;
    const refusal = () => toError(refused, request, plan);
    if (refused.kind !== 'no_room') throw refusal();
    if (!isCounted) {
      isCounted = true;
      const counted = await recount();
      if (counted && plan.amount.exceeds(counted.amount)) {
        plan = counted;
        continue;
      }
    }
    const isPatient = performance.now() < deadlineMs;
    if (!isHeldOnly(refused) || !isPatient) {
      const { left, leftWithoutHolds } = roomOf(refused);
      const shorter = shortened(plan, isPatient ? leftWithoutHolds : left);
      if (!shorter) throw refusal();
      shortenedBy = refusal();
      plan = shorter;
      continue;
    }
    await sleep(waitMs * (0.5 + Math.random()));
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

function toError(refused: HoldRefusal, request: Admission['request'], plan: SpendingPlan): Error {
  return refusalError(refused, {
    atMs: request.generation.createdAtMs,
    inputAmount: plan.inputAmount,
    affordableTokens: (amount) => {
      // Only worth saying when a smaller max_tokens would really fit.
      const tokens = affordableTokens(plan, amount);
      const step = Math.max(...plan.quotes.map(({ bound }) => bound.outputTokens));
      return tokens > 0 && tokens < step ? tokens : 0;
    },
  });
}
