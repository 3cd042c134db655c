import { log } from '../platform/logger.ts';
import { describeFailure, failureOf, type ProviderFailure } from '../providers/failures.ts';
import { failedProvider } from '../routing/connection.ts';
import type { AttemptResult } from '../routing/recent-attempts.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import type { AttemptLog } from './attempt-log.ts';
import { alarmOperator } from './operator-alarm.ts';

/** A place that may be asked. */
export interface Offer {
  /** Its place among the offers of the request. */
  index: number;
  candidate: UsableEndpoint & { model: { id: string } };
  /** The model may think without showing it: while it is silent, it may be working, and billing. */
  hasHiddenReasoning: boolean;
}

export interface FailoverOptions {
  /** Ends the attempts: the client has left, or the time is up. */
  signal: AbortSignal;
  log: AttemptLog;
  /** Id of the client's request, for the log. */
  requestId: string;
  /** Learns what an attempt says of its endpoint: nothing, when the request was at fault or the client has left. */
  health: { record: (endpointId: string, result: AttemptResult) => void; publish: () => Promise<void> };
}

/**
 * Asks one place after the other, until one answers. What fails before that costs the client only time. What is refused as a
 * request is not sent to other endpoints of that model: another model may take it.
 * @param begin asks one of them
 * @returns the answer of the one at which the log is then
 * @throws {ProviderFailure} of the last one that was asked.
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
        // The next endpoint's answer may take minutes: the other instances learn of this failure before.
        void health.publish();
      }
      // An answer that is too large may be billed, and so may a silent model that thinks: another attempt would be paid for as well.
      const isPaid = failure.wasAnswered || (failure.wasSilent && offer.hasHiddenReasoning);
      if (signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.add(model.id);
      const about = { requestId, provider: endpoint.provider.id, model: model.id, ...describeFailure(failure) };
      log('warn', 'provider failed before its first event', { ...about, attempt: index + 1 });
      alarmOperator(failure, about);
    }
  }
  // The gateway has tried every endpoint: a client that retries at once would only multiply the attempts.
  if (offers.length > 1) failure!.discourageRetry();
  throw failure!;
}
