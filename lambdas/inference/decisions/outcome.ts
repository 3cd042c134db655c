import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { recordedUsage } from '../../accounting/recorded-usage.ts';
import { serviceCostOf } from '../../accounting/service-cost.ts';
import type { Ending, Outcome } from '../../store/outcome.ts';
import type { AbortReason } from '../abort.ts';
import { attemptRecords } from '../attempt-records.ts';
import type { Decided } from './decide.ts';
import type { DecisionOffer } from './offers.ts';

/** What a decision came to, as the record keeps it. */
export function decisionOutcome(
  { index, failed, rounds, result, wasThinking }: Decided,
  charged: Charged,
  { offers, signal, receivedAtMs }: { offers: readonly DecisionOffer[]; signal: AbortSignal; receivedAtMs: number },
): Outcome {
  const { usage, cost, cacheSaved, estimated, exceeded } = charged;
  const { model, endpoint, pricing } = offers[index]!.candidate;
  const isDecided = 'verdicts' in result;
  const ending = isDecided ? 'complete' : wasThinking ? 'out_of_time' : decisionEnding(signal);
  return {
    cost,
    cacheSaved,
    serviceCost: serviceCostOf(endpoint, charged),
    estimated,
    capped: exceeded,
    cancelled: isCancelled({ ending, hasOutput: rounds.length > 0 }),
    ending,
    finishReason: isDecided ? 'stop' : 'error',
    nativeFinishReason: null,
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    // The record has the prices of the first candidate already.
    pricing: index === 0 ? undefined : pricing,
    ...recordedUsage(usage),
    rounds: (charged.rounds ?? []).map(recordedUsage),
    searchRequests: null,
    searchResults: null,
    videoSeconds: null,
    ...attemptRecords(failed, {
      last: isDecided ? undefined : failed.at(-1),
      triedAt: (at) => offers[at]!.candidate,
    }),
    overheadMs: null,
    latencyMs: Math.round(performance.now() - receivedAtMs),
    generationTimeMs: null,
  };
}

function decisionEnding(signal: AbortSignal): Ending {
  const { reason } = signal as { reason: AbortReason | undefined };
  return reason === 'client_left' || reason === 'out_of_time' ? reason : 'refused_before';
}
