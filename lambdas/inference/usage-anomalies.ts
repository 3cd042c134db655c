import type { Charged } from '../accounting/charge.ts';
import type { UsageMeter } from '../accounting/meter.ts';
import type { UsageBound } from '../accounting/price.ts';
import { promptTokens } from '../accounting/usage.ts';
import type { Money } from '../money/money.ts';
import { log, tripwires } from '../platform/logger.ts';
import type { EndpointOfModel } from '../routing/exclusions.ts';

/** Number of output tokens above the maximum that raise no alarm. Some providers count one or two tokens more. */
const TYPICAL_SLIP_TOKENS = 16;

export interface UsageAnomalies {
  /** Whether the usage exceeds the request's upper bound by more than a usual slip, or its cost exceeds the limits. */
  isBeyondHold: boolean;
  /** Names of reported usage that has no price in the catalog. */
  unpriced: readonly string[];
}

/**
 * Returns the anomalies of a charge.
 * @param bound upper bound on the usage of the request
 */
export function surprisesOf(charged: Charged, meter: UsageMeter, bound: UsageBound): UsageAnomalies {
  const isSlip = isUsualSlip(promptTokens(charged.usage), meter.reportedOutputTokens, bound);
  return { isBeyondHold: charged.exceeded && (charged.isCutByHold || !isSlip), unpriced: [...meter.unpriced] };
}

/** Whether only the output exceeds its bound, and by no more than TYPICAL_SLIP_TOKENS. */
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
