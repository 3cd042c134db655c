/** What an answer is charged: by how it ends, within what the request could come to, and within its hold. */

import { cappedAt, charged, chargedTogether, type Charged } from '../../accounting/charge.ts';
import { chargeFor, type Charge } from '../../accounting/ending.ts';
import { Money } from '../../money/money.ts';
import type { Ending } from '../../store/outcome.ts';
import type { MeasuredAnswer } from './answer-context.ts';

/** The charge of an answer that ends. */
export interface FinalCharge extends Charged {
  /** The limits had no room for what the answer costs. */
  isCutByHold: boolean;
}

/** What is charged for the last round of an answer that ends in this way. */
export function chargeOf({ context, attempted, meter }: MeasuredAnswer, ending: Ending): Charge {
  const { wire } = attempted.candidate;
  return chargeFor({
    ending,
    wasSent: context.current.sentAtMs !== undefined,
    hasOutput: meter.hasOutput,
    isDelivered: context.streamed,
    declinedForFree: wire.declinesForFree && meter.finishReason === 'refusal' && !meter.hasBegun,
  });
}

/** What an answer costs that ends now; the hold is raised to pay for it where that is possible. */
export async function chargedAtEnd(answer: MeasuredAnswer, ending: Ending): Promise<FinalCharge> {
  const charge = chargeOf(answer, ending);
  // A provider that fails costs nothing, nor do the searches before it; a client that leaves has asked for them.
  const measured = chargedSoFar(answer, charge, charge !== 'nothing' || ending === 'client_left');
  const cost = await answer.context.keeper.chargeable(measured.cost);
  return { ...cappedAt(measured, cost), isCutByHold: !cost.equals(measured.cost) };
}

/** What an answer costs so far, within the hold as it is now. */
export function chargedWithinHold(answer: MeasuredAnswer, charge: Charge): Charged {
  const measured = chargedSoFar(answer, charge);
  return cappedAt(measured, answer.context.keeper.withinHold(measured.cost));
}

/** What an answer has cost so far, whether or not the hold pays for it: what comes next is held beside it. */
export function spentSoFar(answer: MeasuredAnswer): Money {
  return chargedSoFar(answer, 'usage').cost;
}

/** The round that goes on, or was the last, within what it could come to. */
export function chargedForRound({ context, attempted: { quote }, meter }: MeasuredAnswer, charge: Charge): Charged {
  return charged(meter, quote, charge, quote.hiddenTokens > 0 ? context.current.sentAtMs : undefined);
}

/** All rounds, and the searches. @param paysSearches those that were made before an answer had begun */
function chargedSoFar(answer: MeasuredAnswer, charge: Charge, paysSearches = charge !== 'nothing'): Charged {
  const { rounds, attempted } = answer;
  const count = answer.context.search?.session.charged ?? 0;
  const last = chargedForRound(answer, charge);
  if (rounds.length === 0 && (!paysSearches || count === 0)) return last;
  return chargedTogether(rounds, last, { count, price: attempted.quote.pricing.web_search ?? Money.zero });
}
