import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { recordedPieces, recordedUsage } from '../../accounting/recorded-usage.ts';
import { serviceCostOf } from '../../accounting/service-cost.ts';
import { changedPricing } from '../../routing/dispatched-prices.ts';
import type { Ending, Outcome } from '../../store/generations/outcome.ts';
import { hasOutput, type MeasuredAnswer } from './answer-context.ts';

/**
 * Returns the outcome of an answer, which may still be running.
 * @param ending null while the answer is running
 */
export function outcomeOf(answer: MeasuredAnswer, ending: Ending | null, charged: Charged): Outcome {
  const { context, attempt, meter } = answer;
  const { usage, cost, cacheSaved, estimated, exceeded, rounds = [] } = charged;
  const { candidate } = attempt;
  const { model, endpoint } = candidate;
  const { firstEventAtMs, finishReason, nativeFinishReason } = meter;
  const failed = ending === 'refused_before' || ending === 'broke_off' || ending === 'out_of_time';
  return context.stage.withResults({
    cost,
    cacheSaved,
    serviceCost: serviceCostOf(endpoint, charged),
    estimated,
    capped: exceeded,
    cancelled: ending === null || isCancelled({ ending, hasOutput: hasOutput(answer) }),
    ending,
    finishReason: finishReason ?? (failed ? 'error' : null),
    nativeFinishReason,
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    pricing: changedPricing(candidate, candidate === context.attempts[0]!.candidate),
    ...recordedUsage(usage),
    rounds: rounds.map(recordedUsage),
    ...recordedPieces(usage),
    searchResults: meter.searchResults,
    completionMedia: meter.mediaItems,
    leftOut: attempt.leftOut,
    ...context.attemptLog.recorded((index) => context.attempts[index]!.candidate, context.receivedAtMs),
    latencyMs: firstEventAtMs === undefined ? null : Math.round(firstEventAtMs - context.receivedAtMs),
    generationTimeMs: firstEventAtMs === undefined ? null : Math.round(performance.now() - firstEventAtMs),
  });
}
