import { log } from '../platform/logger.ts';
import { describeFailure, failureOf, type ProviderFailure } from '../providers/failures.ts';
import { failedProvider } from '../routing/connection.ts';
import { fixPrices } from '../routing/dispatched-prices.ts';
import type { AttemptResult } from '../routing/recent-attempts.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import type { AttemptLog } from './attempt-log.ts';
import { alarmOperator } from './operator-alarm.ts';

/** A candidate to which the request may be sent. */
export interface Offer {
  /** Index in the request's list of offers. */
  index: number;
  candidate: UsableEndpoint & { model: { id: string } };
  /**
   * Whether the model may think without sending its thinking. The model may then work and cause costs while it is
   * silent.
   */
  hasHiddenReasoning: boolean;
}

export interface FailoverOptions {
  /** Ends the attempts when the client disconnects, the function's time is over, or the process stops. */
  signal: AbortSignal;
  log: AttemptLog;
  requestId: string;
  /**
   * Receives the result of each attempt at an endpoint, except if the request itself caused the failure, or the gateway
   * aborted the attempt.
   */
  health: { record: (endpointId: string, result: AttemptResult) => void; publish: () => Promise<void> };
}

/**
 * Tries one candidate after the other until a candidate answers. A failed attempt after which the next candidate is
 * tried costs the client nothing. The attempts end if the request is aborted, or if the provider may bill the failed
 * attempt: its answer was too large, or a silent model may have been thinking. If a provider rejects the request as
 * invalid, the model's other endpoints are skipped, and other models are tried.
 * @param begin sends the request to one candidate
 * @returns the answer; `log.index` identifies the candidate that gave it
 * @throws {ProviderFailure} the last failure on which the client can act, or else the last failure
 */
export async function withFailover<Tried extends Offer, Answer>(
  offers: readonly Tried[],
  begin: (offer: Tried) => Promise<Answer>,
  { signal, log: attempts, health, requestId }: FailoverOptions,
): Promise<Answer> {
  const failures: ProviderFailure[] = [];
  const refusedBy = new Set<string>();
  for (const offer of offers) {
    const { index } = offer;
    const { model, endpoint } = offer.candidate;
    if (refusedBy.has(model.id)) continue;
    attempts.begin(index);
    fixPrices(offer.candidate);
    const beganAtMs = performance.now();
    try {
      const answer = await begin(offer);
      health.record(endpoint.id, 'ok');
      return answer;
    } catch (error) {
      const failure = failureOf(error, failedProvider(offer.candidate));
      const durationMs = Math.round(performance.now() - beganAtMs);
      const { providerStatus = null, word } = failure;
      attempts.fail({ index, providerStatus, word, durationMs });
      failures.push(failure);
      if (!signal.aborted && !failure.isRequestsFault) {
        health.record(endpoint.id, 'failed');
        // Publishes the failure at once, so that other instances of the gateway avoid the endpoint. The next endpoint
        // may take minutes to answer.
        void health.publish();
      }
      // The provider may bill an answer that was too large, or silent thinking of the model. Another attempt would be
      // billed too, so the attempts end here.
      const isPaid = failure.wasAnswered || (failure.wasSilent && offer.hasHiddenReasoning);
      if (signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.add(model.id);
      const about = { requestId, provider: endpoint.provider.id, model: model.id, ...describeFailure(failure) };
      log('warn', 'provider failed before its first event', { ...about, attempt: index + 1 });
      alarmOperator(failure, about);
    }
  }
  // Advises the client not to retry. The gateway already tries other endpoints itself, so a retry would only multiply
  // the attempts.
  const failure = actionableFailure(failures);
  if (offers.length > 1) failure.discourageRetry();
  throw failure;
}

/**
 * Returns the last failure on which the client can act, such as a prompt that is too long. If there is none, returns
 * the last failure. The client cannot act on silent providers, or on failures that only the operator can fix. The
 * latter raise an alarm.
 */
function actionableFailure(failures: readonly ProviderFailure[]): ProviderFailure {
  return failures.findLast(({ isOperators, wasSilent }) => !isOperators && !wasSilent) ?? failures.at(-1)!;
}
