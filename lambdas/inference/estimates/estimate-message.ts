import { append } from '../../platform/append.ts';
import { priceLowerBound, priceUpperBound, type UsageBound } from '../../accounting/price.ts';
import type { FreeRoom } from '../../admission/free/free-tier.ts';
import { estimatedPrompt } from '../../admission/prompt/prompt-size.ts';
import { notRefused } from '../../admission/refusal.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import { Money } from '../../money/money.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { ExclusionList } from '../../routing/exclusions.ts';
import { prepareAttempts, type Prepared } from '../messages/attempts.ts';
import { messageTerms } from '../messages/message-hold.ts';
import { parseMessage, routeMessage } from '../messages/routed-message.ts';
import type { RequestSearch } from '../messages/search/open-search.ts';
import { MAX_SEARCH_ROUNDS } from '../messages/search/search-rounds.ts';
import {
  costAt,
  estimateOf,
  previewInference,
  type CandidateCost,
  type Estimate,
  type EstimateInput,
} from './estimate.ts';

/**
 * Estimates the cost of a message at each candidate.
 * @throws {GatewayError} for the reasons for which a real message is refused before its hold; 401 or 403 for a caller
 *   that may not spend
 */
export async function estimateMessage(input: EstimateInput<RoutedRequest>): Promise<Estimate> {
  const exclusions = new ExclusionList();
  const routed = await routeMessage(await parseMessage(input), input, { onExcluded: exclusions.add });
  const freeLimits: FreeRoom[] = [];
  for (let left = routed.candidates; ;) {
    const prepared = prepareAttempts(routed, left);
    const preview = await previewInference(input, await messageTerms(input, prepared));
    const { tried } = preview;
    // Keeps the limits of free models from the first try, because a later try may exclude these models.
    if (freeLimits.length === 0) append(freeLimits, preview.freeLimits);
    const refusal = 'refused' in tried ? tried.refused.refusal : undefined;
    const others = refusal && notRefused(left, refusal);
    if (!others) {
      const costs = costsOf(prepared, tried.plan, routed.search);
      return estimateOf({ ...preview, freeLimits }, routed.content.estimatedTokens, costs, exclusions);
    }
    const reason = refusal.kind === 'no_room' ? 'no_room' : 'free_limit';
    for (const { candidate } of prepared.attempts) if (!others.includes(candidate)) exclusions.add(candidate, reason);
    left = others;
  }
}

function costsOf(
  { routed: { content }, attempts }: Prepared,
  { quotes }: Prepared['plan'],
  search: RequestSearch | undefined,
): CandidateCost[] {
  return attempts.map(({ candidate }, index) => {
    const { bound, pricing } = quotes[index]!;
    const most = priceUpperBound(bound, pricing).plus(searchesUpperBound(candidate, bound, search));
    return costAt(
      candidate,
      { ...estimatedPrompt(content, bound.promptTokens), outputTokens: 0 },
      { least: priceLowerBound(bound, candidate.pricing), most },
    );
  });
}

/** Returns the upper bound on the cost of the model's web searches, and of further requests with their results. */
function searchesUpperBound(
  { endpoint, held: { pricing } }: Candidate,
  bound: UsageBound,
  search: RequestSearch | undefined,
): Money {
  if (!search?.isDeclared) return Money.zero;
  const promptTokens = endpoint.contextLength ?? bound.promptTokens;
  const round = priceUpperBound({ ...bound, promptTokens, searchRequests: 0 }, pricing);
  const searches = (pricing.web_search ?? Money.zero).times(search.session.allowed(Infinity));
  return round.times(MAX_SEARCH_ROUNDS - 1).plus(searches);
}
