import { priceUpperBound } from '../../accounting/price.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import { clientHeaders } from '../../providers/client-headers.ts';
import { LeftOutEndpoints } from '../../routing/left-out.ts';
import type { Prepared } from '../messages/attempts.ts';
import { messageTerms, notRefused, preparationOf } from '../messages/message-hold.ts';
import { routeMessage } from '../messages/routed-message.ts';
import { costAt, estimateOf, foreseeInference, type Estimate, type EstimateInput } from './estimate.ts';

/**
 * Estimates a message. Where the limits have no room for it, its prompt is counted, as for a message that is made: by its provider,
 * if that counts. Free models are estimated without their counts of requests.
 * @throws {GatewayError} what a message is refused with before its hold
 */
export async function estimateMessage(input: EstimateInput<RoutedRequest>): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const { body, caller, request } = input;
  const routed = await routeMessage(body, caller, request.headers, leftOut.add);
  const prepare = preparationOf(routed, clientHeaders(request.headers), leftOut.add);
  for (let left = routed.candidates; ;) {
    const prepared = prepare(left);
    const foreseen = await foreseeInference(input, messageTerms(input, prepared));
    const { tried } = foreseen;
    const others = 'refused' in tried ? notRefused(left, tried.refused.refusal) : undefined;
    if (!others) {
      return estimateOf(foreseen, routed.content.estimatedTokens, costsOf(prepared, tried.plan), leftOut);
    }
    for (const { candidate } of prepared.attempts) if (!others.includes(candidate)) leftOut.add(candidate, 'no_room');
    left = others;
  }
}

function costsOf({ attempts, content }: Prepared, { quotes }: Prepared['plan']) {
  return attempts.map(({ candidate }, index) => {
    const { bound, pricing } = quotes[index]!;
    const tokens = Math.min(content.estimatedTokens, bound.promptTokens);
    return costAt(candidate, tokens, priceUpperBound(bound, pricing));
  });
}
