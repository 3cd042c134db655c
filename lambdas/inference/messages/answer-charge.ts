import { cappedAt, chargeForMeasured, chargedTogether, type Charged } from '../../accounting/charge.ts';
import { messagesFactsOf } from '../../catalog/wires.ts';
import { chargeFor, type Charge } from '../../accounting/ending.ts';
import type { Money } from '../../money/money.ts';
import type { Ending } from '../../store/generations/outcome.ts';
import { abortReasonOf } from '../abort.ts';
import type { MeasuredAnswer } from './answer-context.ts';

/**
 * Refusals that Anthropic charges for, even before any output. Source:
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed (September 2026)
 */
const chargedRefusals = new Set<unknown>(['bio', 'frontier_llm', 'reasoning_extraction']);

/**
 * Returns the part of the usage of the last request to the provider (round) that is charged if the answer ends this
 * way.
 */
export function chargeOf({ context, attempt, meter }: MeasuredAnswer, ending: Ending): Charge {
  const { refusalsAreFree } = messagesFactsOf(attempt.candidate.endpoint.wire);
  return chargeFor({
    ending,
    wasSent: context.attemptLog.sentAtMs !== undefined,
    hasOutput: meter.hasOutput,
    isDelivered: context.streamed,
    isFreeRefusal:
      refusalsAreFree &&
      meter.finishReason === 'refusal' &&
      !meter.hasBegun &&
      !chargedRefusals.has(meter.refusalCategory),
    isStopped: abortReasonOf(context.abort.signal) === 'stopping',
  });
}

/** Returns the charge of an answer that ends now, after an attempt to extend the hold to the whole cost. */
export async function chargedAtEnd(answer: MeasuredAnswer, ending: Ending): Promise<Charged> {
  const charge = chargeOf(answer, ending);
  // A client that disconnects pays for the searches, even if the first request to the provider (round) is free.
  const measured = chargedSoFar(answer, charge, charge !== 'nothing' || ending === 'client_left');
  return cappedAt(measured, await answer.context.extender.chargeable(measured.cost));
}

/** Returns the charge so far, limited to the current hold. */
export function chargedWithinHold(answer: MeasuredAnswer, charge: Charge): Charged {
  const measured = chargedSoFar(answer, charge);
  return cappedAt(measured, answer.context.extender.withinHold(measured.cost));
}

/** Cost so far, even if it exceeds the hold. */
export function accruedCost(answer: MeasuredAnswer): Money {
  return chargedSoFar(answer, 'usage').cost;
}

/** Returns the charge of the current round, limited to its upper bound. */
export function chargedForRound(
  { context, attempt: { candidate, quote }, meter }: MeasuredAnswer,
  charge: Charge,
): Charged {
  return chargeForMeasured(
    meter,
    { pricing: candidate.pricing, bound: quote.bound },
    charge,
    quote.hiddenReasoningTokens > 0 ? context.attemptLog.sentAtMs : undefined,
  );
}

/** @param paysSearches whether searches are charged while the first round is incomplete */
function chargedSoFar(answer: MeasuredAnswer, charge: Charge, paysSearches = charge !== 'nothing'): Charged {
  const { context, rounds, attempt } = answer;
  const last = chargedForRound(answer, charge);
  const tokens = rounds.length === 0 ? last : chargedTogether([...rounds, last]);
  return rounds.length > 0 || paysSearches ? context.stage.withPurchases(tokens, attempt.quote) : tokens;
}
