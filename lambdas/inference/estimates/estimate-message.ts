import { append } from '../../platform/append.ts';
import { priceUpperBound } from '../../accounting/price.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { notRefused } from '../../admission/refusal.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import { LeftOutEndpoints } from '../../routing/left-out.ts';
import { prepareAttempts, type Prepared } from '../messages/attempts.ts';
import { messageTerms } from '../messages/message-hold.ts';
import { routeMessage } from '../messages/routed-message.ts';
import { costAt, estimateOf, foreseeInference, type Estimate, type EstimateInput } from './estimate.ts';

/**
 * Estimates a message. Where the limits have no room for it, its prompt is counted, as for a message that is made: by its provider,
 * if that counts.
 * @throws {GatewayError} what a message is refused with before its hold
 */
export async function estimateMessage(input: EstimateInput<RoutedRequest>): Promise<Estimate> {
  const leftOut = new LeftOutEndpoints();
  const routed = await routeMessage(input, { leaveOut: leftOut.add });
  const freeLimits: FreeRoom[] = [];
  for (let left = routed.candidates; ;) {
    const prepared = prepareAttempts(routed, left);
    const foreseen = await foreseeInference(input, await messageTerms(input, prepared));
    const { tried } = foreseen;
    // A later try may be without the free models: what they have left is that of the first.
    if (freeLimits.length === 0) append(freeLimits, foreseen.freeLimits);
    const refusal = 'refused' in tried ? tried.refused.refusal : undefined;
    const others = refusal && notRefused(left, refusal);
    if (!others) {
      const costs = costsOf(prepared, tried.plan);
      return estimateOf({ ...foreseen, freeLimits }, routed.content.estimatedTokens, costs, leftOut);
    }
    const reason = refusal.kind === 'no_room' ? 'no_room' : 'free_limit';
    for (const { candidate } of prepared.attempts) if (!others.includes(candidate)) leftOut.add(candidate, reason);
    left = others;
  }
}

function costsOf({ routed: { content }, attempts }: Prepared, { quotes }: Prepared['plan']) {
  return attempts.map(({ candidate }, index) => {
    const { bound, pricing } = quotes[index]!;
    const tokens = Math.min(content.estimatedTokens, bound.promptTokens);
    return costAt(candidate, tokens, priceUpperBound(bound, pricing));
  });
}
