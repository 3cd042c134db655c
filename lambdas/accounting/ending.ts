/**
 * Who pays what when an answer ends: one function, the table in docs/wires/README.md as code.
 *
 * A failure of the provider without output costs the client nothing. What was written is charged, as the provider reported
 * it or else as we counted it; what the client did not get, because its answer was to come in one piece and broke off, only as
 * the provider itself says that it charges; so where the gateway stops in the middle of it. When the cause is the client's (it left, its money or its time ran out), reasoning that the
 * provider bills without showing it is charged too, estimated by the time that passed.
 */

import type { Generation } from '../store/generations/generation.ts';
import { emptyOutcome, type Ending, type Outcome } from '../store/generations/outcome.ts';

export interface EndedAnswer {
  ending: Ending;
  /** The request had been handed to the provider's connection. */
  wasSent: boolean;
  /** The provider wrote something: text, thinking, or a call. */
  hasOutput: boolean;
  /** The client has what was written: its answer is a stream. */
  isDelivered: boolean;
  /** The provider declined before it wrote anything, and does not charge for that. */
  isFreeRefusal: boolean;
  /** The gateway has ended the answer because its process stops. */
  isStopped: boolean;
}

/**
 * `reported`: as the provider reported, and nothing that it did not. `usage`: as reported, else counted. `usage and hidden`:
 * the same, plus an estimate of thinking that was not shown.
 */
export type Charge = 'nothing' | 'reported' | 'usage' | 'usage and hidden';

export function chargeFor({ ending, wasSent, hasOutput, isDelivered, isFreeRefusal, isStopped }: EndedAnswer): Charge {
  if (ending === 'out_of_time' && isStopped && !isDelivered) return hasOutput ? 'reported' : 'nothing';
  switch (ending) {
    case 'complete':
      return isFreeRefusal ? 'nothing' : 'usage';
    case 'refused_before':
      return 'nothing';
    case 'broke_off':
      if (!hasOutput) return 'nothing';
      return isDelivered ? 'usage' : 'reported';
    case 'out_of_money':
      return 'usage and hidden';
    case 'client_left':
    case 'out_of_time':
      return wasSent ? 'usage and hidden' : 'nothing';
  }
}

/** The answer did not reach the end that the client asked for. */
export function isCancelled({ ending, hasOutput }: Pick<EndedAnswer, 'ending' | 'hasOutput'>): boolean {
  return ending === 'client_left' || ending === 'out_of_time' || (ending === 'broke_off' && hasOutput);
}

/**
 * The outcome of a generation that died before its first measurement: it is charged for its input, at most what was
 * held. Where nothing limits the key, nothing was held, and the whole estimate is charged.
 */
export function unmeasuredOutcome(generation: Generation): Outcome {
  const { inputEstimate, hold, model, modelPermaslug, endpointId, providerName } = generation;
  const isLimited = hold.scopes.length > 0;
  const cost = isLimited && inputEstimate.cost.exceeds(hold.amount) ? hold.amount : inputEstimate.cost;
  const of = { model, modelPermaslug, endpointId, providerName };
  // Nobody knows what a free model has cost: all that was held for it.
  const serviceCost = hold.serviceHolds.find((held) => held.model === model)?.amount;
  return { ...emptyOutcome(of), serviceCost, cost, promptTokens: inputEstimate.tokens, estimated: true };
}
