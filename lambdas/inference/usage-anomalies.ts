/**
 * Raises alarms for unexpected usage reports of providers. The gateway must neither charge such usage nor ignore it
 * silently.
 */

import type { Charged } from '../accounting/charge.ts';
import type { UsageMeter } from '../accounting/meter.ts';
import type { UsageBound } from '../accounting/price.ts';
import { promptTokens } from '../accounting/usage.ts';
import type { Money } from '../money/money.ts';
import { log, tripwires } from '../platform/logger.ts';
import type { EndpointOfModel } from '../routing/exclusions.ts';

/**
 * Number of tokens by which reported output may exceed the requested maximum without an alarm. Some providers count one
 * or two tokens more.
 */
const TYPICAL_SLIP_TOKENS = 16;

/** Unexpected facts about a charged generation that an operator should check. */
export interface UsageAnomalies {
  /**
   * Whether the reported usage exceeds the request's upper bound by more than a usual slip, or its cost exceeds the
   * room in the limits.
   */
  isBeyondHold: boolean;
  /** Names of reported usage that has no price in the catalog. */
  unpriced: readonly string[];
}

/**
 * Finds the anomalies of a charge.
 * @param meter the reported usage
 * @param bound upper bound on the usage of the request
 */
export function surprisesOf(charged: Charged, meter: UsageMeter, bound: UsageBound): UsageAnomalies {
  const isSlip = isUsualSlip(promptTokens(charged.usage), meter.reportedOutputTokens, bound);
  return { isBeyondHold: charged.exceeded && (charged.isCutByHold || !isSlip), unpriced: [...meter.unpriced] };
}

/**
 * Returns whether only the output exceeds its bound, and by no more than TYPICAL_SLIP_TOKENS. This difference needs no
 * check.
 */
function isUsualSlip(chargedPromptTokens: number, reportedOutputTokens = 0, bound: UsageBound): boolean {
  const slipTokens = reportedOutputTokens - bound.outputTokens;
  return slipTokens > 0 && slipTokens <= TYPICAL_SLIP_TOKENS && chargedPromptTokens < bound.promptTokens;
}

const MAX_NAMED = 5;

/** Raises the alarms for the anomalies of a generation. */
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
