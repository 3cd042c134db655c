/** Tripwires: a surprising report of a provider must neither be paid nor be dropped in silence. */

import type { Charged } from '../accounting/charge.ts';
import type { UsageMeter } from '../accounting/meter.ts';
import type { UsageBound } from '../accounting/price.ts';
import { promptTokens } from '../accounting/usage.ts';
import type { Money } from '../money/money.ts';
import { log, tripwires } from '../platform/logger.ts';
import type { EndpointOfModel } from '../routing/exclusions.ts';

/** Some providers count a token or two beyond the most that they were asked for. */
const TYPICAL_SLIP_TOKENS = 16;

/** Something about a charged generation that a person should look at. */
export interface UsageAnomalies {
  /** More was reported than the request could come to, or than the limits had room for. */
  isBeyondHold: boolean;
  /** Names of reported usage that the catalog has no price for. */
  unpriced: readonly string[];
}

/**
 * Says what is surprising about a charge.
 * @param meter what was reported
 * @param bound the most that the request could come to
 */
export function surprisesOf(charged: Charged, meter: UsageMeter, bound: UsageBound): UsageAnomalies {
  const isSlip = isUsualSlip(promptTokens(charged.usage), meter.reportedOutputTokens, bound);
  return { isBeyondHold: charged.exceeded && (charged.isCutByHold || !isSlip), unpriced: [...meter.unpriced] };
}

/** A usual slip is not worth a person's look, unless it costs more. */
function isUsualSlip(chargedPromptTokens: number, reportedOutputTokens = 0, bound: UsageBound): boolean {
  const slipTokens = reportedOutputTokens - bound.outputTokens;
  return slipTokens > 0 && slipTokens <= TYPICAL_SLIP_TOKENS && chargedPromptTokens < bound.promptTokens;
}

const MAX_NAMED = 5;

/** Raises the alarms of a generation, if anything about it is surprising. */
export function raiseAlarms(
  { isBeyondHold, unpriced }: UsageAnomalies,
  { generationId, candidate, cost }: { generationId: string; candidate: EndpointOfModel; cost: Money },
): void {
  const { model, endpoint } = candidate;
  const about = { generationId, model: model.id, provider: endpoint.provider.id, costRub: cost.toString() };
  if (isBeyondHold) log('error', tripwires.usageBeyondHold, about);
  if (unpriced.length > 0) {
    log('error', tripwires.unpricedUsage, { ...about, reason: unpriced.slice(0, MAX_NAMED).join(', ') });
  }
}
