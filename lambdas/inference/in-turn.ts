import { describeError, log } from '../platform/logger.ts';
import { failureOf, type ProviderFailure } from '../providers/failures.ts';
import { UpstreamError } from '../providers/http/upstream-http.ts';
import { failedProvider } from '../routing/connection.ts';
import type { AttemptResult } from '../routing/recent-attempts.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';

/** A place that may be asked. */
export interface Offer {
  candidate: UsableEndpoint & { model: { id: string } };
  /** The model may think without showing it: while it is silent, it may be working, and billing. */
  hasHiddenReasoning: boolean;
}

/** An attempt that gave no answer. It costs nothing, unless it was the last one. */
export interface FailedAttempt {
  index: number;
  /** The HTTP status of the provider's answer; null where there was none. */
  providerStatus: number | null;
  durationMs: number;
}

export interface InTurn {
  /** Ends the attempts: the client has left, or the time is up. */
  signal: AbortSignal;
  /** Called when an attempt begins. */
  onAttempt?: (index: number) => void;
  /** Called when an attempt has failed. */
  onFailure: (failed: FailedAttempt) => void;
  /** Learns what an attempt says of its endpoint: nothing, when the request was at fault or the client has left. */
  health: { record: (endpointId: string, result: AttemptResult) => void; publish: () => Promise<void> };
}

/**
 * Asks one place after the other, until one answers. What fails before that costs the client only time. What is refused as a
 * request is not sent to other endpoints of that model: another model may take it.
 * @param begin asks one of them
 * @throws {ProviderFailure} of the last one that was asked.
 */
export async function askInTurn<Asked extends Offer, Answer>(
  offers: readonly Asked[],
  begin: (offer: Asked, index: number) => Promise<Answer>,
  { signal, onAttempt, onFailure, health }: InTurn,
): Promise<{ index: number; answer: Answer }> {
  let failure: ProviderFailure | undefined;
  const refusedBy = new Set<string>();
  for (const [index, offer] of offers.entries()) {
    const { model, endpoint } = offer.candidate;
    if (refusedBy.has(model.id)) continue;
    onAttempt?.(index);
    const beganAtMs = performance.now();
    try {
      const answer = await begin(offer, index);
      health.record(endpoint.id, 'ok');
      return { index, answer };
    } catch (error) {
      failure = failureOf(error, failedProvider(offer.candidate));
      const durationMs = Math.round(performance.now() - beganAtMs);
      onFailure({ index, providerStatus: failure.providerStatus ?? null, durationMs });
      if (!signal.aborted && !failure.isRequestsFault) {
        health.record(endpoint.id, 'failed');
        // The next endpoint's answer may take minutes: the other instances learn of this failure before.
        void health.publish();
      }
      // A silent model that may have been thinking is paid for: another attempt would have to be paid for as well.
      const isPaid = failure.wasSilent && offer.hasHiddenReasoning;
      if (signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.add(model.id);
      log('warn', 'provider failed before its first event', {
        provider: endpoint.provider.id,
        model: model.id,
        status: failure.status,
        attempt: index + 1,
        ...failureReason(failure),
      });
    }
  }
  // The gateway has tried every endpoint: a client that retries at once would only multiply the attempts.
  if (offers.length > 1) failure!.discourageRetry();
  throw failure!;
}

function failureReason({ cause, kind }: ProviderFailure): { reason?: string; stack?: string } {
  if (cause instanceof UpstreamError) return { reason: cause.failure };
  return cause === undefined ? { reason: kind } : describeError(cause);
}
