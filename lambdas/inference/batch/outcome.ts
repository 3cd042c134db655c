import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { recordedPieces, recordedUsage } from '../../accounting/recorded-usage.ts';
import { serviceCostOf } from '../../accounting/service-cost.ts';
import { changedPricing } from '../../routing/dispatched-prices.ts';
import type { Ending, Outcome } from '../../store/generations/outcome.ts';
import { abortReasonOf } from '../abort.ts';
import type { AttemptLog } from '../attempt-log.ts';
import type { BatchOffer } from './offers.ts';

export interface EndedBatch {
  ending: Ending;
  /** Whether a provider has sent anything that is charged. */
  hasOutput: boolean;
  /** Time in ms from receipt to the end of all attempts or, in a forwarded answer, to its first content. */
  latencyMs: number;
  /** Time in ms from the first content of a forwarded answer to its end; null for other answers. */
  generationTimeMs: number | null;
}

interface RecordedBatch {
  offers: readonly BatchOffer[];
  leftOut: readonly string[];
  receivedAtMs: number;
  log: AttemptLog;
}

/** Returns the outcome in the form of the generation's record. */
export function batchOutcome(
  { ending, hasOutput, latencyMs, generationTimeMs }: EndedBatch,
  charged: Charged,
  { offers, leftOut, receivedAtMs, log }: RecordedBatch,
): Outcome {
  const { usage, cost, cacheSaved, estimated, exceeded } = charged;
  const { candidate } = offers[log.index]!;
  const { model, endpoint } = candidate;
  return {
    cost,
    cacheSaved,
    serviceCost: serviceCostOf(endpoint, charged),
    estimated,
    capped: exceeded,
    cancelled: isCancelled({ ending, hasOutput }),
    ending,
    finishReason: ending === 'complete' ? 'stop' : 'error',
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
    completionMedia: null,
    leftOut,
    ...log.recorded((index) => offers[index]!.candidate, receivedAtMs),
    latencyMs,
    generationTimeMs,
  };
}

/** Returns the ending of an aborted request; undefined if it was not aborted, or only because it had ended. */
export function abortedEnding(signal: AbortSignal): Ending | undefined {
  const reason = abortReasonOf(signal);
  if (reason === 'stopping') return 'out_of_time';
  return reason === 'client_left' || reason === 'out_of_time' ? reason : undefined;
}
