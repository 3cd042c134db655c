import { log } from '../platform/logger.ts';
import { alarmOperator } from '../platform/operator-alarm.ts';
import { describeFailure, failureOf, type ProviderFailure } from '../providers/failures.ts';
import { failedProvider } from '../routing/connection.ts';
import { fixPrices } from '../routing/dispatched-prices.ts';
import type { AttemptResult } from '../routing/recent-attempts.ts';
import type { UsableEndpoint } from '../routing/usable-endpoints.ts';
import type { AttemptLog } from './attempt-log.ts';

export interface Offer {
  index: number;
  candidate: UsableEndpoint & { model: { id: string } };
  /** Whether the model may think, and cause costs, without sending anything. */
  hasHiddenReasoning: boolean;
}

export interface FailoverOptions {
  signal: AbortSignal;
  log: AttemptLog;
  requestId: string;
  /**
   * Receives the results of attempts. A failure is omitted if the client's request caused it, or the attempt was
   * aborted.
   */
  health: { record: (endpointId: string, result: AttemptResult) => void; publish: () => Promise<void> };
}

/**
 * Tries one candidate after the other until one answers. A failed attempt costs the client nothing if the next
 * candidate is tried; if the provider may bill it, the attempts end.
 * @returns the answer; `log.index` identifies the candidate that gave it
 * @throws {ProviderFailure} the failure that is most useful to the client
 */
export async function withFailover<Tried extends Offer, Answer>(
  offers: readonly Tried[],
  begin: (offer: Tried) => Promise<Answer>,
  { signal, log: attempts, health, requestId }: FailoverOptions,
): Promise<Answer> {
  const failures: ProviderFailure[] = [];
  /**
   * Models that refused the request for a reason that applies to other endpoints too. If the prompt was too long, the
   * value is the endpoint's context length in tokens, and otherwise Infinity. Endpoints without a longer context are
   * skipped.
   */
  const refusedBy = new Map<string, number>();
  for (const offer of offers) {
    const { index } = offer;
    const { model, endpoint } = offer.candidate;
    const { contextLength = 0 } = endpoint;
    if (contextLength <= refusedBy.get(model.id)!) continue;
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
        // Publishes the failure now, because the next endpoint may take minutes to answer. Other instances of the
        // gateway then avoid the failing endpoint.
        void health.publish();
      }
      const isPaid = failure.wasAnswered || (failure.wasSilent && offer.hasHiddenReasoning);
      if (signal.aborted || isPaid) break;
      if (!failure.mayTryAnother) refusedBy.set(model.id, failure.fault === 'context' ? contextLength : Infinity);
      const about = { requestId, provider: endpoint.provider.id, model: model.id, ...describeFailure(failure) };
      log('warn', 'provider failed before its first event', { ...about, attempt: index + 1 });
      alarmOperator(failure, about);
    }
  }
  // If there are several candidates, discourages a retry by the client, which could multiply the attempts.
  const failure = actionableFailure(failures);
  if (offers.length > 1) failure.discourageRetry();
  throw failure;
}

/**
 * Returns the failure that is most useful to the client. Prefers faults of the request, such as a prompt that is too
 * long. Silent providers, and failures that only the operator can fix, are reported only if there is no other failure.
 */
function actionableFailure(failures: readonly ProviderFailure[]): ProviderFailure {
  const actionable = failures.filter(({ isOperators, wasSilent }) => !isOperators && !wasSilent);
  return actionable.findLast(({ fault }) => fault !== 'elsewhere') ?? actionable.at(-1) ?? failures.at(-1)!;
}
