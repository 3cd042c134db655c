import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import type { UsageMeter } from '../../accounting/meter.ts';
import { promptTokens } from '../../accounting/usage.ts';
import { log, tripwires } from '../../platform/logger.ts';
import type { Ending, Outcome } from '../../store/outcome.ts';
import type { Attempted } from './answer-context.ts';

/** An answer as it was measured, at its end or, with an ending of null, while it goes on. */
export interface MeasuredAnswer {
  ending: Ending | null;
  charged: Charged;
  meter: UsageMeter;
  attempted: Attempted;
  /** The record has the prices of the first attempt already. */
  isFirst: boolean;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
}

/** What an answer came to, as the record keeps it. */
export function outcomeOf({ ending, charged, meter, attempted, isFirst, receivedAtMs }: MeasuredAnswer): Outcome {
  const { usage, cost, cacheDiscount, estimated, exceeded } = charged;
  const { model, endpoint, pricing } = attempted.candidate;
  const { firstEventAtMs, finishReason, searchResults, hasOutput } = meter;
  const failed = ending === 'refused_before' || ending === 'broke_off' || ending === 'out_of_time';
  return {
    cost,
    cacheDiscount,
    estimated,
    capped: exceeded,
    cancelled: ending === null || isCancelled({ ending, hasOutput }),
    ending,
    finishReason: finishReason ?? (failed ? 'error' : null),
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    pricing: isFirst ? undefined : pricing,
    promptTokens: promptTokens(usage),
    completionTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens ?? null,
    cachedTokens: usage.cacheReadTokens ?? null,
    cacheWrite5mTokens: usage.cacheWrite5mTokens ?? null,
    cacheWrite1hTokens: usage.cacheWrite1hTokens ?? null,
    pricedImages: usage.pricedImages ?? null,
    searchRequests: usage.searchRequests ?? null,
    searchResults,
    latencyMs: firstEventAtMs === undefined ? null : Math.round(firstEventAtMs - receivedAtMs),
    generationTimeMs: firstEventAtMs === undefined ? null : Math.round(performance.now() - firstEventAtMs),
  };
}

/** Some providers count a token or two beyond max_tokens. */
const USUAL_SLIP_TOKENS = 16;

/** Tripwires: what a provider says must neither be paid in silence nor be dropped in silence. */
export function raiseAlarms(
  generationId: string,
  outcome: Outcome,
  of: { attempted: Attempted; meter: UsageMeter; isCutByHold: boolean },
): void {
  const { model, endpoint } = of.attempted.candidate;
  const about = { generationId, model: model.id, provider: endpoint.provider.id, costRub: outcome.cost.toString() };
  if (outcome.capped && isAlarming(outcome, of)) log('error', tripwires.usageBeyondHold, about);
  if (of.meter.unpriced.size > 0) {
    const reason = [...of.meter.unpriced].slice(0, 5).join(', ');
    log('error', tripwires.unpricedUsage, { ...about, reason });
  }
}

/** A usual slip is not worth a person's look, unless it costs more. */
function isAlarming(
  outcome: Outcome,
  { attempted, meter, isCutByHold }: { attempted: Attempted; meter: UsageMeter; isCutByHold: boolean },
): boolean {
  const reported = meter.reportedOutputTokens;
  const { outputTokens, promptTokens: mostPromptTokens } = attempted.quote.bound;
  const isSlip = reported !== undefined && reported > outputTokens && reported - outputTokens <= USUAL_SLIP_TOKENS;
  return !isSlip || isCutByHold || outcome.promptTokens >= mostPromptTokens;
}
