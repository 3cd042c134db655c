/** What an answer is charged: by how it ends, within what the request could come to, and within its hold. */

import { cappedAt, chargeForMeasured, chargedTogether, type Charged } from '../../accounting/charge.ts';
import { messagesFactsOf } from '../../catalog/wires.ts';
import { chargeFor, type Charge } from '../../accounting/ending.ts';
import type { Money } from '../../money/money.ts';
import type { Ending } from '../../store/generations/outcome.ts';
import { abortReasonOf } from '../abort.ts';
import type { MeasuredAnswer } from './answer-context.ts';

/** What is charged for the last round of an answer that ends in this way. */
export function chargeOf({ context, attempt, meter }: MeasuredAnswer, ending: Ending): Charge {
  const { refusalsAreFree } = messagesFactsOf(attempt.candidate.endpoint.wire);
  return chargeFor({
    ending,
    wasSent: context.attemptLog.sentAtMs !== undefined,
    hasOutput: meter.hasOutput,
    isDelivered: context.streamed,
    isFreeRefusal: refusalsAreFree && meter.finishReason === 'refusal' && !meter.hasBegun,
    isStopped: abortReasonOf(context.abort.signal) === 'stopping',
  });
}

/** What an answer costs that ends now; the hold is raised to pay for it where that is possible. */
export async function chargedAtEnd(answer: MeasuredAnswer, ending: Ending): Promise<Charged> {
  const charge = chargeOf(answer, ending);
  // A provider that fails costs nothing, nor does what was bought before it; a client that leaves has asked for that.
  const measured = chargedSoFar(answer, charge, charge !== 'nothing' || ending === 'client_left');
  return cappedAt(measured, await answer.context.extender.chargeable(measured.cost));
}

/** What an answer costs so far, within the hold as it is now. */
export function chargedWithinHold(answer: MeasuredAnswer, charge: Charge): Charged {
  const measured = chargedSoFar(answer, charge);
  return cappedAt(measured, answer.context.extender.withinHold(measured.cost));
}

/** What an answer has cost so far, whether or not the hold pays for it: what comes next is held beside it. */
export function accruedCost(answer: MeasuredAnswer): Money {
  return chargedSoFar(answer, 'usage').cost;
}

/** The round that goes on, or was the last, within what it could come to. */
export function chargedForRound({ context, attempt: { quote }, meter }: MeasuredAnswer, charge: Charge): Charged {
  return chargeForMeasured(
    meter,
    quote,
    charge,
    quote.hiddenReasoningTokens > 0 ? context.attemptLog.sentAtMs : undefined,
  );
}

/** All rounds, and what the stage has bought. @param paysStage also where nothing is charged for tokens */
function chargedSoFar(answer: MeasuredAnswer, charge: Charge, paysStage = charge !== 'nothing'): Charged {
  const { context, rounds, attempt } = answer;
  const last = chargedForRound(answer, charge);
  const tokens = rounds.length === 0 ? last : chargedTogether([...rounds, last]);
  return rounds.length > 0 || paysStage ? context.stage.withPurchases(tokens, attempt.quote) : tokens;
}
