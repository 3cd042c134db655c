import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { recordedPieces, recordedUsage } from '../../accounting/recorded-usage.ts';
import { serviceCostOf } from '../../accounting/service-cost.ts';
import { changedPricing } from '../../routing/dispatched-prices.ts';
import type { Ending, Outcome } from '../../store/generations/outcome.ts';
import { abortReasonOf } from '../abort.ts';
import type { AttemptLog } from '../attempt-log.ts';
import type { BatchOffer } from './offers.ts';
import type { BatchAnswers } from './rounds.ts';

interface RecordedBatch {
  offers: readonly BatchOffer[];
  leftOut: readonly string[];
  signal: AbortSignal;
  receivedAtMs: number;
  log: AttemptLog;
}

/**
 * Returns the outcome of a batch request, which needs one or more requests to a provider, in the form of the generation's
 * record.
 */
export function batchOutcome(
  { rounds, result, wasThinking }: BatchAnswers<unknown>,
  charged: Charged,
  { offers, leftOut, signal, receivedAtMs, log }: RecordedBatch,
): Outcome {
  const { usage, cost, cacheSaved, estimated, exceeded } = charged;
  const { candidate } = offers[log.index]!;
  const { model, endpoint } = candidate;
  const isAnswered = 'answer' in result;
  const ending = isAnswered ? 'complete' : wasThinking ? 'out_of_time' : abortedEnding(signal);
  return {
    cost,
    cacheSaved,
    serviceCost: serviceCostOf(endpoint, charged),
    estimated,
    capped: exceeded,
    cancelled: isCancelled({ ending, hasOutput: rounds.length > 0 }),
    ending,
    finishReason: isAnswered ? 'stop' : 'error',
    nativeFinishReason: null,
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    pricing: changedPricing(candidate, log.index === 0),
    ...recordedUsage(usage),
    rounds: (charged.rounds ?? []).map(recordedUsage),
    ...recordedPieces(usage),
    searchResults: null,
    leftOut,
    ...log.recorded((index) => offers[index]!.candidate, receivedAtMs),
    latencyMs: Math.round(performance.now() - receivedAtMs),
    generationTimeMs: null,
  };
}

function abortedEnding(signal: AbortSignal): Ending {
  const reason = abortReasonOf(signal);
  if (reason === 'stopping') return 'out_of_time';
  return reason === 'client_left' || reason === 'out_of_time' ? reason : 'refused_before';
}
