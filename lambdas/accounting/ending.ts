/** Decides the charge for each way in which an answer ends. */

import type { Generation } from '../store/generations/generation.ts';
import { emptyOutcome, type Ending, type Outcome } from '../store/generations/outcome.ts';

export interface EndedAnswer {
  ending: Ending;
  /** Whether the whole request was sent to the provider. */
  wasSent: boolean;
  /** Whether the provider wrote any output, such as text, thinking, a tool call or an image. */
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

export function isCancelled({ ending, hasOutput }: Pick<EndedAnswer, 'ending' | 'hasOutput'>): boolean {
  return ending === 'client_left' || ending === 'out_of_time' || (ending === 'broke_off' && hasOutput);
}

/**
 * Returns the outcome of a generation whose handler died before the first measurement. The generation is charged for
 * its input, at most the held amount if any scope is limited.
 */
export function unmeasuredOutcome(generation: Generation): Outcome {
  const { inputEstimate, hold, model, modelPermaslug, endpointId, providerName } = generation;
  const isLimited = hold.scopes.length > 0;
  const capped = isLimited && inputEstimate.cost.exceeds(hold.amount);
  const cost = capped ? hold.amount : inputEstimate.cost;
  const of = { model, modelPermaslug, endpointId, providerName };
  // The real cost of a free model is unknown, so the whole amount held in its budget counts as spent.
  const serviceCost = hold.serviceHolds.find((held) => held.model === model)?.amount;
  const { tokens: promptTokens, units } = inputEstimate;
  return { ...emptyOutcome(of), serviceCost, cost, capped, promptTokens, ...units, estimated: true };
}
