/** Tripwires: a surprising report of a provider must neither be paid nor be dropped in silence. */

import type { UsageBound } from '../accounting/price.ts';
import type { Money } from '../money/money.ts';
import { log, tripwires } from '../platform/logger.ts';
import type { EndpointOfModel } from '../routing/left-out.ts';

/** Some providers count a token or two beyond the most that they were asked for. */
const TYPICAL_SLIP_TOKENS = 16;

/**
 * A usual slip is not worth a person's look, unless it costs more.
 * @param promptTokens what is charged for the prompt
 * @param reportedOutputTokens undefined where the provider reported none
 */
export function isUsualSlip(
  { promptTokens, reportedOutputTokens = 0 }: { promptTokens: number; reportedOutputTokens: number | undefined },
  bound: UsageBound,
): boolean {
  const slipTokens = reportedOutputTokens - bound.outputTokens;
  return slipTokens > 0 && slipTokens <= TYPICAL_SLIP_TOKENS && promptTokens < bound.promptTokens;
}

/** Something about a charged generation that a person should look at. */
export interface Surprises {
  /** More was reported than the request could come to, or than the limits had room for. */
  isBeyondHold: boolean;
  /** Names of reported usage that the catalog has no price for. */
  unpriced: readonly string[];
}

const MAX_NAMED = 5;

/** Raises the alarms of a generation, if anything about it is surprising. */
export function raiseAlarms(
  { isBeyondHold, unpriced }: Surprises,
  { generationId, candidate, cost }: { generationId: string; candidate: EndpointOfModel; cost: Money },
): void {
  const { model, endpoint } = candidate;
  const about = { generationId, model: model.id, provider: endpoint.provider.id, costRub: cost.toString() };
  if (isBeyondHold) log('error', tripwires.usageBeyondHold, about);
  if (unpriced.length > 0) {
    log('error', tripwires.unpricedUsage, { ...about, reason: unpriced.slice(0, MAX_NAMED).join(', ') });
  }
}
