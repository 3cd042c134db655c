import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { recordedUsage } from '../../accounting/recorded-usage.ts';
import { Money } from '../../money/money.ts';
import type { Ending, Outcome } from '../../store/outcome.ts';
import type { AbortReason } from '../messages/abort.ts';
import type { Decided } from './decide.ts';
import type { Offer } from './offers.ts';

const OK = 200;

export const NOTHING_CHARGED: Charged = {
  usage: { inputTokens: 0, outputTokens: 0 },
  cost: Money.zero,
  cacheSaved: Money.zero,
  estimated: false,
  exceeded: false,
};

/** What a decision came to, as the record keeps it. */
export function decisionOutcome(
  { index, failed, rounds, result }: Decided,
  charged: Charged,
  { offers, signal, receivedAtMs }: { offers: readonly Offer[]; signal: AbortSignal; receivedAtMs: number },
): Outcome {
  const { usage, cost, cacheSaved, estimated, exceeded } = charged;
  const { model, endpoint, pricing } = offers[index]!.candidate;
  const isDecided = 'verdicts' in result;
  const ending = isDecided ? 'complete' : endingOf(signal);
  const earlier = failed.filter((attempt) => isDecided || attempt.index !== index);
  const failure = failed.find((attempt) => attempt.index === index);
  return {
    cost,
    cacheSaved,
    serviceCost: undefined,
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
    failedAttempts: earlier.map(({ index: at, providerStatus, durationMs }) => {
      const { endpoint: tried, model: of } = offers[at]!.candidate;
      const { id: endpointId, provider } = tried;
      return {
        endpointId,
        modelPermaslug: of.data.permaslug,
        providerName: provider.name,
        status: providerStatus,
        durationMs,
      };
    }),
    providerStatus: isDecided ? OK : (failure?.providerStatus ?? null),
    latencyMs: Math.round(performance.now() - receivedAtMs),
    generationTimeMs: null,
  };
}

function endingOf(signal: AbortSignal): Ending {
  const { reason } = signal as { reason: AbortReason | undefined };
  return reason === 'client_left' || reason === 'out_of_time' ? reason : 'refused_before';
}
