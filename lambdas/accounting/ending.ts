import type { Generation } from '../store/generation.ts';
import { emptyOutcome, type Ending, type Outcome } from '../store/outcome.ts';

/**
 * Who pays what when an answer ends: one function, the table in docs/wires.md in code.
 *
 * A failure of the provider without output costs the client nothing; what was written is charged, as the provider told it
 * or else as it was counted. What ends for the client's own sake (it left, its money or its time ran out) is also
 * charged for reasoning that the provider bills without showing it, estimated by the time that passed.
 */
export interface EndedAnswer {
  ending: Ending;
  /** The request had been handed to the provider's connection. */
  wasSent: boolean;
  /** The provider wrote something: text, thinking, or a call. */
  hasOutput: boolean;
  /** The provider declined before it wrote anything, and does not charge for that. */
  declinedForFree: boolean;
}

/** `usage`: as told, else counted. `usage and hidden`: the same, and an estimate of what was thought without showing it. */
export type Charge = 'nothing' | 'usage' | 'usage and hidden';

export function chargeFor({ ending, wasSent, hasOutput, declinedForFree }: EndedAnswer): Charge {
  switch (ending) {
    case 'complete':
      return declinedForFree ? 'nothing' : 'usage';
    case 'refused_before':
      return 'nothing';
    case 'broke_off':
      return hasOutput ? 'usage' : 'nothing';
    case 'out_of_money':
      return 'usage and hidden';
    case 'client_left':
    case 'out_of_time':
      return wasSent ? 'usage and hidden' : 'nothing';
  }
}

/** The answer did not come to the end that the client asked for. */
export function isCancelled({ ending, hasOutput }: Pick<EndedAnswer, 'ending' | 'hasOutput'>): boolean {
  return ending === 'client_left' || ending === 'out_of_time' || (ending === 'broke_off' && hasOutput);
}

/**
 * The outcome of a generation that died before its first measurement: it is charged for its input, as far as that was
 * held; an estimate may be larger where nothing limits the key, and then nothing was held at all.
 */
export function unmeasuredOutcome(generation: Generation): Outcome {
  const { inputEstimate, hold, model, modelPermaslug, endpointId, providerName } = generation;
  const isLimited = hold.scopes.length > 0;
  const cost = isLimited && inputEstimate.cost.exceeds(hold.amount) ? hold.amount : inputEstimate.cost;
  const of = { model, modelPermaslug, endpointId, providerName };
  return { ...emptyOutcome(of), cost, promptTokens: inputEstimate.tokens, estimated: true };
}
