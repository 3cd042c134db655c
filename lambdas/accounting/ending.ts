/**
 * Decides the charge for each way in which an answer ends, as the table in docs/wires/README.md defines.
 * - A failure of the provider without output costs the client nothing.
 * - Written output is charged, by the reported usage or else by the gateway's own count.
 * - Output that the client did not receive, because a non-streaming answer broke off or the gateway stopped, is charged
 *   only by the reported usage.
 * - If the client disconnected after the request was sent, or the client's money or the request's time ran out, hidden
 *   reasoning is charged too. It is estimated from the elapsed time.
 */

import type { Generation } from '../store/generations/generation.ts';
import { emptyOutcome, type Ending, type Outcome } from '../store/generations/outcome.ts';

export interface EndedAnswer {
  ending: Ending;
  /** Whether the whole request was sent to the provider. */
  wasSent: boolean;
  /** Whether the provider wrote text, thinking, or a tool call. */
  hasOutput: boolean;
  /** Whether the client has received the written output, because the answer is a stream. */
  isDelivered: boolean;
  /** Whether the provider refused before it wrote anything, and does not charge for the refusal. */
  isFreeRefusal: boolean;
  /** Whether the gateway ended the answer because its process is stopping. */
  isStopped: boolean;
}

/**
 * Basis of a charge. `reported` is only the usage that the provider reported. `usage` is the reported usage, or else
 * the gateway's count. `usage and hidden` adds an estimate of hidden reasoning.
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

/**
 * Returns whether the answer counts as cancelled: the client disconnected, the time ran out, or the provider broke off
 * an answer that has output.
 */
export function isCancelled({ ending, hasOutput }: Pick<EndedAnswer, 'ending' | 'hasOutput'>): boolean {
  return ending === 'client_left' || ending === 'out_of_time' || (ending === 'broke_off' && hasOutput);
}

/**
 * Returns the outcome of a generation whose handler died before the first measurement. The generation is charged for
 * its input, at most the held amount. If no scope is limited, nothing was held, and the whole estimate is charged.
 */
export function unmeasuredOutcome(generation: Generation): Outcome {
  const { inputEstimate, hold, model, modelPermaslug, endpointId, providerName } = generation;
  const isLimited = hold.scopes.length > 0;
  const capped = isLimited && inputEstimate.cost.exceeds(hold.amount);
  const cost = capped ? hold.amount : inputEstimate.cost;
  const of = { model, modelPermaslug, endpointId, providerName };
  // The service pays for a free model, from the model's budget. The real cost is unknown, so the whole amount held in
  // the budget counts as spent.
  const serviceCost = hold.serviceHolds.find((held) => held.model === model)?.amount;
  const { tokens: promptTokens, units } = inputEstimate;
  return { ...emptyOutcome(of), serviceCost, cost, capped, promptTokens, ...units, estimated: true };
}
