import { log } from '../platform/logger.ts';
import { describeFailure, failureOf, type ProviderFailure } from '../providers/failures.ts';
import { failedProvider } from '../routing/connection.ts';
import type { AttemptResult } from '../routing/recent-attempts.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import type { AttemptLog } from './attempt-log.ts';
import { alarmOperator } from './operator-alarm.ts';

/** A candidate to which the request may be sent. */
export interface Offer {
  /** Index among the offers of the request. */
  index: number;
  candidate: UsableEndpoint & { model: { id: string } };
  /** The model may think without showing it. While it is silent, it may be working and billing. */
  hasHiddenReasoning: boolean;
}

export interface FailoverOptions {
  /** Ends the attempts: the client has disconnected, or the time is up. */
  signal: AbortSignal;
  log: AttemptLog;
  /** Id of the client's request, for the log. */
  requestId: string;
  /**
   * Receives the result of each attempt for its endpoint, except when the request was at fault or the client
   * disconnected.
   */
  health: { record: (endpointId: string, result: AttemptResult) => void; publish: () => Promise<void> };
}

/**
 * Tries one candidate after the other, until one answers. Failures before the first event cost the client nothing. If a
 * provider rejects the request itself, the model's other endpoints are skipped, and other models are tried.
 * @param begin sends the request to one candidate
 * @returns the answer; `log.index` identifies the offer that gave it
 * @throws {ProviderFailure} of the last candidate tried
 */
export async function withFailover<Asked extends Offer, Answer>(
  offers: readonly Asked[],
  begin: (offer: Asked) => Promise<Answer>,
  { signal, log: attempts, health, requestId }: FailoverOptions,
): Promise<Answer> {
  let failure: ProviderFailure | undefined;
  const refusedBy = new Set<string>();
  for (const offer of offers) {
    const { index } = offer;
    const { model, endpoint } = offer.candidate;
    if (refusedBy.has(model.id)) continue;
    attempts.begin(index);
    const beganAtMs = performance.now();
    try {
      const answer = await begin(offer);
      health.record(endpoint.id, 'ok');
      return answer;
    } catch (error) {
      failure = failureOf(error, failedProvider(offer.candidate));
      const durationMs = Math.round(performance.now() - beganAtMs);
      const { providerStatus = null, word } = failure;
      attempts.fail({ index, providerStatus, word, durationMs });
      if (!signal.aborted && !failure.isRequestsFault) {
        health.record(endpoint.id, 'failed');
        // The next endpoint may take minutes to answer. Other instances must learn of this failure earlier.
        void health.publish();
      }
      // A response that is too large may be billed, and so may a silent model that thinks. Another attempt would be
      // billed in addition.
      const isPaid = failure.wasAnswered || (failure.wasSilent && offer.hasHiddenReasoning);
      if (signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.add(model.id);
      const about = { requestId, provider: endpoint.provider.id, model: model.id, ...describeFailure(failure) };
      log('warn', 'provider failed before its first event', { ...about, attempt: index + 1 });
      alarmOperator(failure, about);
    }
  }
  // The gateway has tried every endpoint. An immediate retry by the client would only multiply the attempts.
  if (offers.length > 1) failure!.discourageRetry();
  throw failure!;
}
